import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { roleBindingView } from '../../views.js';
import { allFlag, limitFlag, pageSize } from '../page-flags.js';

export function roleBindingsList(group: Group, invocation: Invocation): void {
  group
    .command('list')
    .description('List the role bindings of the tenant, newest first.')
    .option('--client-id <client_id>', 'only bindings of this credential')
    .option(...limitFlag)
    .option(...allFlag)
    .action(async (flags) => {
      const session = await invocation.connect();
      const tenant = await invocation.tenantOf(session);
      const query = { client_id: flags.clientId, limit: pageSize(flags) };
      await invocation.printItems(session.client.roleBindings.list(tenant, query), roleBindingView, flags);
    });
}
