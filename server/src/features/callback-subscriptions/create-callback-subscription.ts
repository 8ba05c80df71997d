import { type contract, eventTypes } from '@tenant-open-platform/contract';
import { changeOf, withAudit } from '../../platform/audit/with-audit.js';
import type { Database } from '../../platform/database/database.js';
import { newId } from '../../platform/new-id.js';
import type { CallOf } from '../../platform/operation/call.js';
import type { Handler } from '../../platform/operation/handler.js';
import { readRow } from '../../platform/operation/rows.js';
import { callbackEndpoints, isEndpoint } from '../callback-endpoints/callback-endpoints.table.js';
import { refuseBeyondLimit } from '../tenants/refuse-beyond-limit.js';
import { callbackSubscriptions } from './callback-subscriptions.table.js';
import { presentCallbackSubscription } from './present-callback-subscription.js';

export const createCallbackSubscription =
  (database: Database, limit: number): Handler<typeof contract.callbackSubscriptions.create> =>
  async ({ params: { endpoint_id: endpointId }, body }, call) => {
    const { tenantId, admittedAt } = call;
    // The same instant as created_at, so that the order of ids is the order of creation.
    const subscriptionId = newId(admittedAt.getTime());
    const row = await withAudit(database, call, { fields: body, created: subscriptionId }, async (tx) => {
      await refuseBeyondLimit(tx, call, callbackSubscriptions, limit);
      await readRow(tx, call, callbackEndpoints, isEndpoint(tenantId, endpointId), 'key share');
      const [created] = await tx
        .insert(callbackSubscriptions)
        .values({
          tenantId,
          endpointId,
          subscriptionId,
          eventType: readEventType(call, body.event_type),
          status: body.status ?? 'ACTIVE',
          createdAt: admittedAt,
        })
        .onConflictDoNothing()
        .returning();
      if (!created) throw call.refuse('SUBSCRIPTION_ALREADY_EXISTS');
      return changeOf(call, presentCallbackSubscription, null, created);
    });
    return { status: 201, body: presentCallbackSubscription(row, call.requestId) };
  };

function readEventType({ refuse }: CallOf<'EVENT_TYPE_NOT_SUBSCRIBABLE'>, name: string) {
  const eventType = eventTypes.find((known) => known === name);
  if (eventType) return eventType;
  const message = `must be ${eventTypes.join(' or ')}`;
  throw refuse('EVENT_TYPE_NOT_SUBSCRIBABLE', {
    details: [{ location: 'body/event_type', code: 'EVENT_TYPE_NOT_SUBSCRIBABLE', message }],
  });
}
