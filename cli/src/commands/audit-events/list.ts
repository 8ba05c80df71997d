import { Option } from '@commander-js/extra-typings';
import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { auditEventView } from '../../views.js';
import { allFlag, limitFlag, pageSize } from '../page-flags.js';

export function auditEventsList(group: Group, invocation: Invocation): void {
  group
    .command('list')
    .description('List who changed what in the tenant, and who was refused, newest first.')
    .option('--client-id <client_id>', 'only what this credential asked for')
    .option('--operation <operation>', 'only this operation, such as credentials.update')
    .addOption(new Option('--outcome <outcome>', 'only what was done, or refused').choices(['DONE', 'DENIED']))
    .option('--occurred-after <instant>', 'only what happened at this time (RFC 3339) or later')
    .option('--occurred-before <instant>', 'only what happened before this time (RFC 3339)')
    .option(...limitFlag)
    .option(...allFlag)
    .action(async (flags) => {
      const session = await invocation.connect();
      const tenant = await invocation.tenantOf(session);
      const auditEvents = session.client.auditEvents.list(tenant, {
        limit: pageSize(flags),
        client_id: flags.clientId,
        operation: flags.operation,
        outcome: flags.outcome,
        occurred_after: flags.occurredAfter,
        occurred_before: flags.occurredBefore,
      });
      await invocation.printItems(auditEvents, auditEventView, flags);
    });
}
