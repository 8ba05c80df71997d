import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { credentialView } from '../../views.js';

export function credentialsGet(group: Group, invocation: Invocation): void {
  group
    .command('get')
    .description('Show a credential, never its secret.')
    .argument('<client_id>', 'the credential')
    .action(async (clientId) => {
      const session = await invocation.connect();
      const tenant = await invocation.tenantOf(session);
      await invocation.printItem(await session.client.credentials.get(tenant, clientId), credentialView);
    });
}
