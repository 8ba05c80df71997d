import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { policyView } from '../../views.js';
import { allFlag, limitFlag, pageSize } from '../page-flags.js';

export function policiesList(group: Group, invocation: Invocation): void {
  group
    .command('list')
    .description('List the scopes that credentials hold without a role, newest first.')
    .option('--client-id <client_id>', 'only policies of this credential')
    .option(...limitFlag)
    .option(...allFlag)
    .action(async (flags) => {
      const session = await invocation.connect();
      const tenant = await invocation.tenantOf(session);
      const query = { client_id: flags.clientId, limit: pageSize(flags) };
      await invocation.printItems(session.client.policies.list(tenant, query), policyView, flags);
    });
}
