import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { meView } from '../../views.js';

export function meGet(group: Group, invocation: Invocation): void {
  group
    .command('get')
    .description('Show the credential that signs, its roles, scopes and limits. The same as whoami.')
    .action(() => showMe(invocation));
}

export async function showMe(invocation: Invocation): Promise<void> {
  const { client } = await invocation.connectToOwnTenant();
  await invocation.printItem(await client.me.get(), meView);
}
