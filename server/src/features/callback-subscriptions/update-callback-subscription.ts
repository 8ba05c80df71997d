import type { contract } from '@tenant-open-platform/contract';
import { changeOf, withAudit } from '../../platform/audit/with-audit.js';
import type { Database } from '../../platform/database/database.js';
import type { Handler } from '../../platform/operation/handler.js';
import { callbackSubscriptions, isSubscription } from './callback-subscriptions.table.js';
import { presentCallbackSubscription } from './present-callback-subscription.js';

export const updateCallbackSubscription =
  (database: Database): Handler<typeof contract.callbackSubscriptions.update> =>
  async ({ params: { endpoint_id: endpointId, subscription_id: subscriptionId }, body }, call) => {
    const row = await withAudit(database, call, { fields: body }, async (tx) => {
      const own = isSubscription(call.tenantId, endpointId, subscriptionId);
      const [locked] = await tx.select().from(callbackSubscriptions).where(own).for('no key update');
      const [updated] = await tx.update(callbackSubscriptions).set({ status: body.status }).where(own).returning();
      if (!locked || !updated) throw call.refuse('NOT_FOUND');
      return changeOf(call, presentCallbackSubscription, locked, updated);
    });
    return { status: 200, body: presentCallbackSubscription(row, call.requestId) };
  };
