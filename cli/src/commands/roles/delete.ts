import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { roleView } from '../../views.js';

export function rolesDelete(group: Group, invocation: Invocation): void {
  group
    .command('delete')
    .description("Delete one of the tenant's own roles that no credential is bound to.")
    .argument('<role>', 'the role')
    .action(async (role) => {
      invocation.requireConfirmable(true);
      const session = await invocation.connect();
      const tenant = await invocation.tenantOf(session);
      await invocation.confirm(`Delete the role ${role} of tenant ${tenant}?`);
      await invocation.printItem(await session.client.roles.delete(tenant, role), roleView);
    });
}
