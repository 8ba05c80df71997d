import { hash } from 'node:crypto';
import { contract } from '@tenant-open-platform/contract';
import { canonicalJson } from '@tenant-open-platform/contract/strict-json';
import { eq, getTableColumns, or, sql } from 'drizzle-orm';
import { largePayload, unavailable } from '../../foundation/api-error.js';
import { all, idsBetween, instantsBetween } from '../../foundation/database/pages.js';
import { topics } from '../../foundation/signals/signals.js';
import { slotOf } from '../../foundation/slots.js';
import type { Call } from '../../gateway/operation/call.js';
import { replyOf } from '../../pipeline/device-requests.js';
import { deviceRequests, outbox } from '../../pipeline/tables.js';
import type { Handler } from '../handlers.js';
import { dayBefore, openList } from '../lists.js';
import { ownRow, presenter } from '../rows.js';

type Row = typeof deviceRequests.$inferSelect;

const { status, expiresAt } = deviceRequests;

/** A request past its deadline is EXPIRED even before the sweeper has written it. */
const currentStatus = sql<Row['status']>`
  case when ${status} = 'PENDING' and ${expiresAt} <= now() then 'EXPIRED' else ${status} end`;

const currentDeviceRequest = { ...getTableColumns(deviceRequests), status: currentStatus };

const fieldsOf = presenter(deviceRequests, contract.deviceRequests.get.responses[200]);

const presentDeviceRequest = (row: Row, call: Call) => ({ ...fieldsOf(row, call), reply: replyOf(row) });

export const get: Handler<'deviceRequests.get'> = async ({ params }, call) => {
  const own = ownRow(deviceRequests, call, { device_request_id: params.request_id });
  const [row] = await call.asTenant((tx) => tx.select(currentDeviceRequest).from(deviceRequests).where(own));
  if (!row) throw call.refuse('NOT_FOUND');
  return { status: 200, body: presentDeviceRequest(row, call) };
};

/** Before every id. */
const BEGINNING = '00000000-0000-0000-0000-000000000000';

export const list: Handler<'deviceRequests.list'> = async ({ query: asked }, call, { waitFor }) => {
  const { wait_seconds: waitSeconds, ...query } = asked;
  const isAscending = query.order === 'asc';
  const list = openList(call, query, {
    table: deviceRequests,
    order: ['deviceRequestId'],
    columns: currentDeviceRequest,
    range: all([
      query.device_id && eq(deviceRequests.deviceId, query.device_id),
      // A literal, not a parameter: pending requests have a partial index. A single device has only a few requests.
      query.status === 'PENDING' && !query.device_id && sql`${status} = 'PENDING'`,
      idsBetween(deviceRequests.deviceRequestId, query.received_after, query.received_before),
      // A request waits for a reply for at most a day.
      query.changed_after && idsBetween(deviceRequests.deviceRequestId, dayBefore(query.changed_after), undefined),
    ]),
    filters: all([
      query.status && eq(currentStatus, query.status),
      or(
        instantsBetween(deviceRequests.receivedAt, query.changed_after),
        instantsBetween(deviceRequests.repliedAt, query.changed_after),
      ),
    ]),
    filteredBy: ['vendor', 'requestType'],
    json: ['payload', 'reply_payload'],
  });
  const found = await waitFor({
    call,
    topic: topics.deviceRequests(call.tenantId),
    // Newest first, the pages after the first hold older requests, which cannot grow.
    waitSeconds: list.position === null || isAscending ? waitSeconds : 0,
    // Oldest first, a page that has read its maximum of rows is answered even if it is empty: its cursor goes on.
    isEnough: ({ rows, lastRead }) => rows.length > 0 || (isAscending && lastRead !== null),
    look: list.look,
  });
  const end = isAscending ? (found.rows.at(-1)?.deviceRequestId ?? list.position ?? BEGINNING) : null;
  return list.answer({ ...found, lastRead: found.lastRead ?? end }, (row) => ({
    ...presentDeviceRequest(row, call),
    cursor: list.cursorAt(row.deviceRequestId),
  }));
};

/** Only the first reply is stored: concurrent replies wait for each other at the row. */
export const reply: Handler<'deviceRequests.reply'> = async ({ params, body }, call, services) => {
  const { signals, waits, payloadLimitBytes } = services;
  const { tenantId, refuse } = call;
  const tooLarge = largePayload(Buffer.byteLength(JSON.stringify(body.payload ?? {})), payloadLimitBytes);
  if (tooLarge) throw tooLarge;
  const replySha256 = hash('sha256', canonicalJson(body), 'buffer');
  const isThis = ownRow(deviceRequests, call, { device_request_id: params.request_id });
  const { row, isReplay } = await call.asTenant(async (tx) => {
    const [current] = await tx.select(currentDeviceRequest).from(deviceRequests).where(isThis).for('no key update');
    if (!current) throw refuse('NOT_FOUND');
    if (current.status === 'REPLIED') {
      if (!current.replySha256?.equals(replySha256)) throw refuse('DEVICE_REQUEST_ALREADY_REPLIED');
      return { row: current, isReplay: true };
    }
    if (current.status === 'EXPIRED') throw refuse('DEVICE_REQUEST_EXPIRED');
    // It would leave too late, and its replier would not hear of it.
    if (current.expiresAt.getTime() < call.admittedAt.getTime() + waits.secondsFor(tenantId) * 1_000)
      throw unavailable('The reply would wait until the request has expired. It is not stored. Repeat the request.', 1);
    const [row] = await tx
      .update(deviceRequests)
      .set({
        status: 'REPLIED',
        replyOutcome: body.outcome,
        replyPayload: body.payload ?? null,
        replyError: body.error ?? null,
        replySha256,
        repliedAt: sql`now()`,
        repliedByClientId: call.caller.clientId,
      })
      .where(isThis)
      .returning();
    if (!row) throw new Error('The locked device request is gone.');
    await tx.insert(outbox).values({ tenantId, factId: params.request_id, kind: 'DEVICE_REQUEST_REPLIED' });
    return { row, isReplay: false };
  });
  if (!isReplay) signals.send([topics.outbox(slotOf(tenantId)), topics.deviceRequests(tenantId)]);
  return {
    status: 200,
    body: presentDeviceRequest(row, call),
    ...(isReplay && { headers: { 'Idempotent-Replayed': 'true' } }),
  };
};
