import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { busPrincipalView } from '../../views.js';

export function busPrincipalsGet(group: Group, invocation: Invocation): void {
  group
    .command('get')
    .description('Show a principal.')
    .argument('<principal_id>', 'the principal')
    .action(async (principalId) => {
      const session = await invocation.connect();
      const tenant = await invocation.tenantOf(session);
      await invocation.printItem(await session.client.busPrincipals.get(tenant, principalId), busPrincipalView);
    });
}
