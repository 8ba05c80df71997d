import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { callbackEndpointView } from '../../views.js';

export function callbackEndpointsGet(group: Group, invocation: Invocation): void {
  group
    .command('get')
    .description('Show a callback endpoint, never its secret.')
    .argument('<endpoint_id>', 'the callback endpoint')
    .action(async (endpointId) => {
      const { client } = await invocation.connectToOwnTenant();
      await invocation.printItem(await client.callbackEndpoints.get(endpointId), callbackEndpointView);
    });
}
