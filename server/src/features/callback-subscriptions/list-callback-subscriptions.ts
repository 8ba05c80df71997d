import { eq } from 'drizzle-orm';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { ownRow, readRow } from '../../platform/operation/rows.js';
import { callbackEndpoints } from '../callback-endpoints/callback-endpoints.table.js';
import { callbackSubscriptions } from './callback-subscriptions.table.js';
import { presentCallbackSubscription } from './present-callback-subscription.js';

export const listCallbackSubscriptions: Handler<'callbackSubscriptions.list'> = async ({ params, query }, call) => {
  const endpoint = ownRow(callbackEndpoints, call, params);
  const { endpointId } = await call.asTenant((tx) => readRow(tx, call, callbackEndpoints, endpoint));
  const filtered = { ...query, endpoint_id: endpointId };
  return newestFirst(call, filtered, {
    table: callbackSubscriptions,
    order: ['subscriptionId'],
    filteredBy: ['status'],
    range: eq(callbackSubscriptions.endpointId, endpointId),
    present: presentCallbackSubscription,
  });
};
