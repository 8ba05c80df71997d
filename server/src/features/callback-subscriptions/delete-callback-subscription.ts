import { deleteHandler } from '../../platform/operation/resource-handlers.js';
import { callbackSubscriptions } from './callback-subscriptions.table.js';
import { presentCallbackSubscription } from './present-callback-subscription.js';

export const deleteCallbackSubscription = deleteHandler(
  callbackSubscriptions,
  presentCallbackSubscription,
  'subscription_id',
);
