import type { contract } from '@tenant-open-platform/contract';
import { withAudit } from '../../platform/audit/with-audit.js';
import type { Database } from '../../platform/database/database.js';
import type { Handler } from '../../platform/operation/handler.js';
import { deleteRow } from '../../platform/operation/rows.js';
import { callbackSubscriptions, isSubscription } from './callback-subscriptions.table.js';
import { presentCallbackSubscription } from './present-callback-subscription.js';

export const deleteCallbackSubscription =
  (database: Database): Handler<typeof contract.callbackSubscriptions.delete> =>
  async ({ params: { endpoint_id: endpointId, subscription_id: subscriptionId } }, call) => {
    await withAudit(database, call, { fields: {} }, async (tx) => {
      const own = isSubscription(call.tenantId, endpointId, subscriptionId);
      const deleted = await deleteRow(tx, call, callbackSubscriptions, own);
      return { before: presentCallbackSubscription(deleted, call.requestId), after: null, result: null };
    });
    return { status: 200, body: { subscription_id: subscriptionId, deleted: true, request_id: call.requestId } };
  };
