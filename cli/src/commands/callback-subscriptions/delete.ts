import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { callbackSubscriptionView } from '../../views.js';

export function callbackSubscriptionsDelete(group: Group, invocation: Invocation): void {
  group
    .command('delete')
    .description('End a subscription.')
    .argument('<endpoint_id>', 'the callback endpoint')
    .argument('<subscription_id>', 'the subscription')
    .action(async (endpointId, subscriptionId) => {
      invocation.requireConfirmable(true);
      const session = await invocation.connectToOwnTenant();
      const tenant = await invocation.tenantOf(session);
      await invocation.confirm(`End the subscription ${subscriptionId} of tenant ${tenant}?`);
      const deleted = await session.client.callbackSubscriptions.delete(endpointId, subscriptionId);
      await invocation.printItem(deleted, callbackSubscriptionView);
    });
}
