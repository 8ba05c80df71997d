import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { roleBindingView } from '../../views.js';

export function roleBindingsDelete(group: Group, invocation: Invocation): void {
  group
    .command('delete')
    .description('Take a role away from a credential, from its very next request on.')
    .argument('<client_id>', 'the credential')
    .argument('<role>', 'the role')
    .action(async (clientId, role) => {
      invocation.requireConfirmable(true);
      const session = await invocation.connect();
      const tenant = await invocation.tenantOf(session);
      await invocation.confirm(`Take the role ${role} away from ${clientId} of tenant ${tenant}?`);
      await invocation.printItem(await session.client.roleBindings.delete(tenant, clientId, role), roleBindingView);
    });
}
