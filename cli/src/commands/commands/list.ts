import { Option } from '@commander-js/extra-typings';
import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { commandView } from '../../views.js';
import { allFlag, limitFlag, pageSize } from '../page-flags.js';

const statuses = [
  'ACCEPTED',
  'DISPATCHED',
  'SUCCEEDED',
  'FAILED',
  'REJECTED',
  'UNSUPPORTED',
  'TIMED_OUT',
  'EXPIRED',
  'CANCELED',
] as const;

export function commandsList(group: Group, invocation: Invocation): void {
  group
    .command('list')
    .description("List the commands of the credential's tenant, newest first.")
    .addOption(new Option('--status <status>', 'only commands of this status').choices(statuses))
    .option('--vendor <vendor>', 'only commands for this vendor')
    .option('--device-id <device_id>', 'only commands for this device')
    .option('--command-type <command_type>', 'only commands of this type')
    .option('--idempotency-key <key>', 'only the command of this key')
    .option('--accepted-after <instant>', 'only commands accepted at this time (RFC 3339) or later')
    .option('--accepted-before <instant>', 'only commands accepted before this time (RFC 3339)')
    .option(...limitFlag)
    .option(...allFlag)
    .action(async (flags) => {
      const { client } = await invocation.connectToOwnTenant();
      const commands = client.commands.list({
        limit: pageSize(flags),
        status: flags.status,
        vendor: flags.vendor,
        device_id: flags.deviceId,
        command_type: flags.commandType,
        idempotency_key: flags.idempotencyKey,
        accepted_after: flags.acceptedAfter,
        accepted_before: flags.acceptedBefore,
      });
      await invocation.printItems(commands, commandView, flags);
    });
}
