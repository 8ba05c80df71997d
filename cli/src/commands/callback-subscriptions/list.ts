import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { callbackSubscriptionView } from '../../views.js';
import { allFlag, limitFlag, pageSize } from '../page-flags.js';

export function callbackSubscriptionsList(group: Group, invocation: Invocation): void {
  group
    .command('list')
    .description('List the subscriptions of a callback endpoint, newest first.')
    .argument('<endpoint_id>', 'the callback endpoint')
    .option(...limitFlag)
    .option(...allFlag)
    .action(async (endpointId, flags) => {
      const { client } = await invocation.connectToOwnTenant();
      const subscriptions = client.callbackSubscriptions.list(endpointId, { limit: pageSize(flags) });
      await invocation.printItems(subscriptions, callbackSubscriptionView, flags);
    });
}
