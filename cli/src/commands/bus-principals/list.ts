import { Option } from '@commander-js/extra-typings';
import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { busPrincipalView } from '../../views.js';
import { allFlag, limitFlag, pageSize } from '../page-flags.js';

export function busPrincipalsList(group: Group, invocation: Invocation): void {
  group
    .command('list')
    .description('List the principals of the tenant on the messaging bus, newest first.')
    .option('--client-id <client_id>', 'only principals of this credential')
    .addOption(
      new Option('--status <status>', 'only principals of this status').choices(['ACTIVE', 'DISABLED', 'DELETED']),
    )
    .option(...limitFlag)
    .option(...allFlag)
    .action(async (flags) => {
      const session = await invocation.connect();
      const tenant = await invocation.tenantOf(session);
      const query = { client_id: flags.clientId, status: flags.status, limit: pageSize(flags) };
      await invocation.printItems(session.client.busPrincipals.list(tenant, query), busPrincipalView, flags);
    });
}
