import { Option } from '@commander-js/extra-typings';
import type { Group } from '../../commands.js';
import { integer } from '../../flags.js';
import type { Invocation } from '../../invocation.js';
import { callbackEndpointView } from '../../views.js';

export function callbackEndpointsUpdate(group: Group, invocation: Invocation): void {
  group
    .command('update')
    .description('Change a callback endpoint. What is not given stays as it is.')
    .argument('<endpoint_id>', 'the callback endpoint')
    .option('--name <name>', 'a name for people')
    .option('--url <url>', 'the HTTPS URL of a public host')
    .addOption(
      new Option('--status <status>', 'DISABLED is not delivered to until ACTIVE again').choices([
        'ACTIVE',
        'DISABLED',
      ]),
    )
    .option('--timeout-seconds <seconds>', 'how long a delivery may take: 1 to 30', integer)
    .option('--max-attempts <count>', 'how often a delivery is tried: 1 to 20', integer)
    .action(async (endpointId, flags) => {
      if (Object.keys(flags).length === 0) throw invocation.usageError('give at least one flag to change');
      const disabling = flags.status === 'DISABLED';
      invocation.requireConfirmable(disabling);
      const session = await invocation.connectToOwnTenant();
      if (disabling) {
        const tenant = await invocation.tenantOf(session);
        await invocation.confirm(`Disable the callback endpoint ${endpointId} of tenant ${tenant}?`);
      }
      const endpoint = await session.client.callbackEndpoints.update(endpointId, {
        name: flags.name,
        url: flags.url,
        status: flags.status,
        timeout_seconds: flags.timeoutSeconds,
        max_attempts: flags.maxAttempts,
      });
      await invocation.printItem(endpoint, callbackEndpointView);
    });
}
