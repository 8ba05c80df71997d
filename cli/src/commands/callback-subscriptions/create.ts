import { Option } from '@commander-js/extra-typings';
import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { callbackSubscriptionView } from '../../views.js';

export function callbackSubscriptionsCreate(group: Group, invocation: Invocation): void {
  group
    .command('create')
    .description('Subscribe a callback endpoint to an event type.')
    .argument('<endpoint_id>', 'the callback endpoint')
    .option('--event-type <event_type>', 'command.accepted or command.completed (required)')
    .addOption(new Option('--status <status>', 'ACTIVE unless given').choices(['ACTIVE', 'DISABLED']))
    .action(async (endpointId, flags) => {
      const { eventType, status } = await invocation.fillIn(flags, ['eventType']);
      const { client } = await invocation.connectToOwnTenant();
      const subscription = await client.callbackSubscriptions.create(endpointId, { event_type: eventType, status });
      await invocation.printItem(subscription, callbackSubscriptionView);
    });
}
