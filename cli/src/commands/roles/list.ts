import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { roleView } from '../../views.js';
import { allFlag, limitFlag, pageSize } from '../page-flags.js';

export function rolesList(group: Group, invocation: Invocation): void {
  group
    .command('list')
    .description('List the roles that credentials of the tenant can be bound to, and what each grants.')
    .option(...limitFlag)
    .option(...allFlag)
    .action(async (flags) => {
      const session = await invocation.connect();
      const tenant = await invocation.tenantOf(session);
      await invocation.printItems(session.client.roles.list(tenant, { limit: pageSize(flags) }), roleView, flags);
    });
}
