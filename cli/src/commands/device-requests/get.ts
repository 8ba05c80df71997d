import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { deviceRequestView } from '../../views.js';

export function deviceRequestsGet(group: Group, invocation: Invocation): void {
  group
    .command('get')
    .description('Show a request of a device and its reply.')
    .argument('<request_id>', 'the device request')
    .action(async (deviceRequestId) => {
      const { client } = await invocation.connectToOwnTenant();
      await invocation.printItem(await client.deviceRequests.get(deviceRequestId), deviceRequestView);
    });
}
