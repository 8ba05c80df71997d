import { contract, eventTypes } from '@tenant-open-platform/contract';
import { eq } from 'drizzle-orm';
import { changeOf, withAudit } from '../../gateway/audit/audit.js';
import type { CallOf } from '../../gateway/operation/call.js';
import { deleteHandler, type Handler } from '../handlers.js';
import { newestFirst } from '../lists.js';
import { newIdOf, ownRow, presenter, readRow, refuseBeyondLimit } from '../rows.js';
import { callbackEndpoints, callbackSubscriptions } from '../tables.js';

const presentCallbackSubscription = presenter(
  callbackSubscriptions,
  contract.callbackSubscriptions.create.responses[201],
);

export const create: Handler<'callbackSubscriptions.create'> = async ({ params, body }, call, { limits }) => {
  const { tenantId, admittedAt } = call;
  const subscriptionId = newIdOf(call);
  const created = await withAudit(call, { fields: body, created: subscriptionId }, async (tx) => {
    await refuseBeyondLimit(tx, call, callbackSubscriptions, limits);
    await readRow(tx, call, callbackEndpoints, params, 'key share');
    const key = { tenantId, endpointId: params.endpoint_id, subscriptionId, createdAt: admittedAt };
    const { event_type, status = 'ACTIVE' } = body;
    const values = { ...key, eventType: readEventType(call, event_type), status };
    const [row] = await tx.insert(callbackSubscriptions).values(values).onConflictDoNothing().returning();
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

export const list: Handler<'callbackSubscriptions.list'> = async ({ params, query }, call) => {
  const { endpointId } = await call.asTenant((tx) => readRow(tx, call, callbackEndpoints, params));
  const ofEndpoint = { ...query, endpoint_id: endpointId };
  return newestFirst(call, ofEndpoint, {
    table: callbackSubscriptions,
    order: ['subscriptionId'],
    filteredBy: ['status'],
    range: eq(callbackSubscriptions.endpointId, endpointId),
    present: presentCallbackSubscription,
  });
};

export const update: Handler<'callbackSubscriptions.update'> = async ({ params, body }, call) => {
  const changed = await withAudit(call, { fields: body }, async (tx) => {
    const locked = await readRow(tx, call, callbackSubscriptions, params, 'no key update');
    const own = ownRow(callbackSubscriptions, call, params);
    await tx.update(callbackSubscriptions).set({ status: body.status }).where(own);
    return changeOf(call, presentCallbackSubscription, locked, { ...locked, status: body.status });
  });
  return { status: 200, body: changed };
};

const deleteCallbackSubscription = deleteHandler(callbackSubscriptions, presentCallbackSubscription);

export { deleteCallbackSubscription as delete };
