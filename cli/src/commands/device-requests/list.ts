import { Option } from '@commander-js/extra-typings';
import type { Group } from '../../commands.js';
import { integer } from '../../flags.js';
import type { Invocation } from '../../invocation.js';
import { deviceRequestView } from '../../views.js';
import { allFlag, limitFlag, pageSize } from '../page-flags.js';

export function deviceRequestsList(group: Group, invocation: Invocation): void {
  group
    .command('list')
    .description("List what devices of the credential's tenant asked, newest first.")
    .addOption(
      new Option('--status <status>', 'only requests of this status').choices(['PENDING', 'REPLIED', 'EXPIRED']),
    )
    .option('--vendor <vendor>', 'only requests from devices of this vendor')
    .option('--device-id <device_id>', 'only requests of this device')
    .option('--request-type <request_type>', 'only requests of this type')
    .option('--received-after <instant>', 'only requests received at this time (RFC 3339) or later')
    .option('--received-before <instant>', 'only requests received before this time (RFC 3339)')
    .option('--wait-seconds <seconds>', 'wait until there is one, 0 to 30', integer)
    .option(...limitFlag)
    .option(...allFlag)
    .action(async (flags) => {
      const { client } = await invocation.connectToOwnTenant();
      const deviceRequests = client.deviceRequests.list({
        limit: pageSize(flags),
        status: flags.status,
        vendor: flags.vendor,
        device_id: flags.deviceId,
        request_type: flags.requestType,
        received_after: flags.receivedAfter,
        received_before: flags.receivedBefore,
        wait_seconds: flags.waitSeconds,
      });
      await invocation.printItems(deviceRequests, deviceRequestView, flags);
    });
}
