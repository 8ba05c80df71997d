import { changeOf, withAudit } from '../../platform/audit/with-audit.js';
import type { Handler } from '../../platform/operation/handler.js';
import { ownRow, readRow } from '../../platform/operation/rows.js';
import { callbackSubscriptions } from './callback-subscriptions.table.js';
import { presentCallbackSubscription } from './present-callback-subscription.js';

export const updateCallbackSubscription: Handler<'callbackSubscriptions.update'> = async ({ params, body }, call) => {
  const changed = await withAudit(call, { fields: body }, async (tx) => {
    const own = ownRow(callbackSubscriptions, call, params);
    const locked = await readRow(tx, call, callbackSubscriptions, own, 'no key update');
    const [updated] = await tx.update(callbackSubscriptions).set({ status: body.status }).where(own).returning();
    if (!updated) throw call.refuse('NOT_FOUND');
    return changeOf(call, presentCallbackSubscription, locked, updated);
  });
  return { status: 200, body: changed };
};
