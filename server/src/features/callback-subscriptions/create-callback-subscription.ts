import { eventTypes } from '@tenant-open-platform/contract';
import { changeOf, withAudit } from '../../platform/audit/with-audit.js';
import { newId } from '../../platform/new-id.js';
import type { CallOf } from '../../platform/operation/call.js';
import type { Handler } from '../../platform/operation/handler.js';
import { ownRow, readRow } from '../../platform/operation/rows.js';
import { callbackEndpoints } from '../callback-endpoints/callback-endpoints.table.js';
import { refuseBeyondLimit } from '../tenants/refuse-beyond-limit.js';
import { callbackSubscriptions } from './callback-subscriptions.table.js';
import { presentCallbackSubscription } from './present-callback-subscription.js';

export const createCallbackSubscription =
  (limit: number): Handler<'callbackSubscriptions.create'> =>
  async ({ params, body }, call) => {
    const { tenantId, admittedAt } = call;
    // The same instant as created_at, so that the order of ids is the order of creation.
    const subscriptionId = newId(admittedAt.getTime());
    const created = await withAudit(call, { fields: body, created: subscriptionId }, async (tx) => {
      await refuseBeyondLimit(tx, call, callbackSubscriptions, limit);
      await readRow(tx, call, callbackEndpoints, ownRow(callbackEndpoints, call, params), 'key share');
      const [row] = await tx
        .insert(callbackSubscriptions)
        .values({
          tenantId,
          endpointId: params.endpoint_id,
          subscriptionId,
          eventType: readEventType(call, body.event_type),
          status: body.status ?? 'ACTIVE',
          createdAt: admittedAt,
        })
        .onConflictDoNothing()
        .returning();
      if (!row) throw call.refuse('SUBSCRIPTION_ALREADY_EXISTS');
      return changeOf(call, presentCallbackSubscription, null, row);
    });
    return { status: 201, body: created };
  };

function readEventType({ refuse }: CallOf<'EVENT_TYPE_NOT_SUBSCRIBABLE'>, name: string) {
  const eventType = eventTypes.find((known) => known === name);
  if (eventType) return eventType;
  const message = `must be ${eventTypes.join(' or ')}`;
  throw refuse('EVENT_TYPE_NOT_SUBSCRIBABLE', {
    details: [{ location: 'body/event_type', code: 'EVENT_TYPE_NOT_SUBSCRIBABLE', message }],
  });
}
