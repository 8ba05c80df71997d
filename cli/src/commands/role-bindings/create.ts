import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { roleBindingView } from '../../views.js';

export function roleBindingsCreate(group: Group, invocation: Invocation): void {
  group
    .command('create')
    .description('Bind a credential of the tenant to a role.')
    .option('--client-id <client_id>', 'the credential (required)')
    .option('--role <role>', 'the role, such as integration_operator (required)')
    .action(async (flags) => {
      const { clientId, role } = await invocation.fillIn(flags, ['clientId', 'role']);
      const session = await invocation.connect();
      const tenant = await invocation.tenantOf(session);
      const binding = await session.client.roleBindings.create(tenant, { client_id: clientId, role });
      await invocation.printItem(binding, roleBindingView);
    });
}
