import {
  DEFAULT_EXPIRES_IN_SECONDS,
  type DeviceReplyMessage,
  type DeviceRequestMessage,
  subjects,
} from '@tenant-open-platform/contract/bus';
import { asc, getTableColumns, sql } from 'drizzle-orm';
import { batched } from '../foundation/database/batched.js';
import type { Database, Transaction } from '../foundation/database/database.js';
import { pipelined } from '../foundation/database/pipelined.js';
import { asAllTenants } from '../foundation/database/row-level-security.js';
import { fixedSql, statement } from '../foundation/database/statement.js';
import type { Now } from '../foundation/database/steady-clock.js';
import { readTenantIds } from '../foundation/database/tenant-ids.js';
import { firstIdAt, newIdTails } from '../foundation/ids.js';
import { type Progress, quietMs, type Signals, topics } from '../foundation/signals/signals.js';
import type { Move } from '../foundation/tables.js';
import { type Message, timedMessage } from './bus/bus.js';
import { done, type Handled, type MessageSource, parked, retriedIn } from './bus/take-message.js';
import type { Owned } from './slots/steps.js';
import { deviceRequests, type Fact, factKey, type RepublishedRange } from './tables.js';

/** A request of a device. Tenant and vendor come from its subject. */
export type DeviceRequest = { tenantId: string; vendor: string; ageMs: number; message: DeviceRequestMessage };

/**
 * RECEIVED: stored. REPEATED: received before under the same dedupe_id of the device; nothing changes. REUSED: another
 * request was. MOVING: its tenant moves, so the request has to wait.
 */
export type Reception = 'RECEIVED' | 'REPEATED' | 'REUSED' | 'MOVING' | 'MOVED' | 'UNKNOWN_TENANT' | 'UNKNOWN_VENDOR';

type ReceptionRow = Record<'has_tenant' | 'has_vendor' | 'is_new' | 'is_reused', boolean> & {
  step: Move['step'] | null;
};

/** An arbitrary lock number that only transactions that store device requests use. */
const ADVISORY_LOCK = '5120998348';

const lockReceptions = statement(
  'device requests: lock',
  () => fixedSql`select pg_advisory_xact_lock(${ADVISORY_LOCK}::bigint)`,
);

const newRequests = statement(
  'device requests: store',
  (given: string) => fixedSql`
    with given as (
      select * from json_to_recordset(${given}::text::json) as given (
        position int, tenant_id text, vendor text, device_id text, request_type text, payload json,
        dedupe_id text, expires_in_seconds int, id_tail text, age_ms float8
      )
    ), present as materialized (
      -- Read once: then the tails alone order the requests of a tenant, whatever order Postgres joins them in.
      select clock_timestamp()::timestamptz(3) as at
    ), timed as (
      select given.*, at as received_at, (lpad(to_hex(round(extract(epoch from at) * 1000)::bigint), 12, '0') || id_tail)::uuid
          as device_request_id,
        tenants.move ->> 'step' as step,
        coalesce(tenants.status = 'ACTIVE' or tenants.move ->> 'step' = 'CLOSING', false) as has_tenant, vendors.vendor is not null as has_vendor
      from given
      cross join lateral (
        select greatest((select at from present), max(received_at) + interval '1 millisecond') as at
        from (
          select received_at from device_requests
          where device_requests.tenant_id = given.tenant_id order by device_request_id desc limit 1
        ) last
      ) received
      left join tenants on tenants.tenant_id = given.tenant_id
      left join vendors on vendors.vendor = given.vendor
        and (tenants.vendors is null or vendors.vendor = any (tenants.vendors))
    ), inserted as (
      insert into device_requests (
        tenant_id, device_request_id, vendor, device_id, request_type, payload, dedupe_id, status, received_at,
        expires_at
      )
      select tenant_id, device_request_id, vendor, device_id, request_type, payload, dedupe_id, 'PENDING',
        received_at, received_at + make_interval(secs => expires_in_seconds - age_ms / 1000)
      from timed
      where has_tenant and has_vendor
      order by position
      on conflict (tenant_id, vendor, device_id, dedupe_id) do nothing
      returning tenant_id, device_request_id
    )
    select step, has_tenant, has_vendor, inserted.device_request_id is not null as is_new,
      inserted.device_request_id is null and (exists (
        select from device_requests as stored
        where (stored.tenant_id, stored.vendor, stored.dedupe_id) = (timed.tenant_id, timed.vendor, timed.dedupe_id)
          -- Not with =: without statistics, Postgres could read all requests of the device.
          and stored.device_id is not distinct from timed.device_id
          and (stored.request_type <> timed.request_type or stored.payload::jsonb <> timed.payload::jsonb)
      ) or exists (
        select from timed as earlier
        where (earlier.tenant_id, earlier.vendor, earlier.device_id, earlier.dedupe_id)
            = (timed.tenant_id, timed.vendor, timed.device_id, timed.dedupe_id) and earlier.position < timed.position
          and (earlier.request_type <> timed.request_type or earlier.payload::jsonb <> timed.payload::jsonb)
      )) as is_reused
    from timed left join inserted using (tenant_id, device_request_id)
    order by position`,
);

/**
 * Stores device requests. All that wait share one statement. Such transactions run one after the other and use later
 * times than the stored ones. So commits are in the order of the ids, and a reader with a cursor misses none. One process
 * reads at a time (background.ts), and stores them in the order of the stream.
 */
export function createDeviceRequestReceiver(database: Database, signals: Signals) {
  /** Tenants and vendors. The first request of theirs that this process stores may need a durable for its reply. */
  const known = new Set<string>();
  const firstOf = (received: DeviceRequest[]) => {
    const before = known.size;
    for (const { tenantId, vendor } of received) known.add(`${tenantId} ${vendor}`);
    return known.size > before ? [topics.busAccess] : [];
  };
  return batched<DeviceRequest, Reception>(
    () => '',
    async (incoming) => {
      const tails = newIdTails(incoming.length);
      const given = incoming.map(({ tenantId, vendor, ageMs, message }, position) => ({
        position,
        tenant_id: tenantId,
        vendor,
        ...message,
        expires_in_seconds: message.expires_in_seconds ?? DEFAULT_EXPIRES_IN_SECONDS,
        id_tail: tails[position],
        age_ms: ageMs,
      }));
      // One round trip less while the lock is held.
      const [, rows] = await asAllTenants(database, (tx) =>
        pipelined(
          () => tx.execute(lockReceptions()),
          () => tx.execute<ReceptionRow>(newRequests(JSON.stringify(given))),
        ),
      );
      const received = incoming.filter((_one, index) => rows[index]?.is_new);
      const ofTenants = received.map(({ tenantId }) => topics.deviceRequests(tenantId));
      signals.send(received.length > 0 ? [topics.deviceRequest, ...ofTenants, ...firstOf(received)] : []);
      return rows.map(toReception);
    },
    1,
  );
}

function toReception({ step, has_tenant, has_vendor, is_new, is_reused }: ReceptionRow): Reception {
  if (!has_tenant && step !== null) return step === 'MOVED' ? step : 'MOVING';
  if (!has_tenant) return 'UNKNOWN_TENANT';
  if (!has_vendor) return 'UNKNOWN_VENDOR';
  if (is_reused) return 'REUSED';
  return is_new ? 'RECEIVED' : 'REPEATED';
}

const RETRY_WHILE_MOVING_MS = 1_000;

const handledAs: Record<Reception, Handled> = {
  RECEIVED: done,
  REPEATED: done,
  REUSED: parked('DEDUPE_ID_REUSED: the device has sent another request with this dedupe_id.'),
  MOVING: retriedIn(RETRY_WHILE_MOVING_MS),
  MOVED: parked('The tenant of the subject has moved to another platform.'),
  UNKNOWN_TENANT: parked('The tenant of the subject does not exist or is disabled.'),
  UNKNOWN_VENDOR: parked('The vendor of the subject is not in the catalog, or the tenant may not use it.'),
};

export const takeDeviceRequest =
  (receive: (incoming: DeviceRequest) => Promise<Reception>) =>
  async (message: DeviceRequestMessage, sender: MessageSource): Promise<Handled> =>
    handledAs[await receive({ ...sender, ageMs: await sender.age(), message })];

type DeviceRequestRow = typeof deviceRequests.$inferSelect;

/** The messages of replies whose devices still wait, by `factKey`. */
export async function replyMessages(tx: Transaction, facts: Fact[], now: string): Promise<Map<string, Message>> {
  const { tenantId, deviceRequestId } = deviceRequests;
  const askedAt = performance.now();
  const found = await tx
    .select({ ...getTableColumns(deviceRequests), leftMs: timeLeft(now) })
    .from(deviceRequests)
    .where(
      sql`(${tenantId}, ${deviceRequestId}) in (
        select tenant_id, fact_id from json_to_recordset(${JSON.stringify(facts)}::text::json)
          as replied (tenant_id text, fact_id uuid)
      )`,
    );
  return new Map(
    found.flatMap((row) => {
      const message = toReplyMessage(row, askedAt);
      return message ? [[factKey({ tenant_id: row.tenantId, fact_id: row.deviceRequestId }), message]] : [];
    }),
  );
}

/** The reply; null until there is one. */
export function replyOf({ replyOutcome, replyPayload, replyError, repliedAt, repliedByClientId }: DeviceRequestRow) {
  if (!replyOutcome || !repliedAt || !repliedByClientId) return null;
  return {
    outcome: replyOutcome,
    payload: replyPayload,
    error: replyError,
    replied_at: repliedAt.toISOString(),
    replied_by_client_id: repliedByClientId,
  };
}

/** In milliseconds, by the clock that dispatch.ts explains. */
const timeLeft = (now: string) =>
  sql<number>`extract(epoch from ${deviceRequests.expiresAt} - greatest(${deviceRequests.receivedAt}, clock_timestamp() - (now() - least(now(), ${now}::timestamptz))))::float8 * 1000`;

function toReplyMessage(row: DeviceRequestRow & { leftMs: number }, askedAt: number): Message | null {
  const reply = replyOf(row);
  if (!reply || row.leftMs <= 0) return null;
  const { replied_by_client_id: _, ...said } = reply;
  const content: Omit<DeviceReplyMessage, 'remaining_ms'> = {
    device_request_id: row.deviceRequestId,
    dedupe_id: row.dedupeId,
    device_id: row.deviceId,
    request_type: row.requestType,
    ...said,
    expires_at: row.expiresAt.toISOString(),
  };
  const [subject, id] = [subjects.deviceReply(row.tenantId, row.vendor), `device-reply:${row.deviceRequestId}`];
  return timedMessage({ subject, id }, content, askedAt + row.leftMs);
}

const PAGE = 256;
/** No device waits longer than a day for a reply, so older requests have no reply to send. */
const LONGEST_WAIT_MS = 25 * 60 * 60 * 1_000;

/** The replies whose devices still wait, whenever they were stored: the clock may have stepped since. */
export async function* republishedReplies(database: Database, { since, until, tenantId }: RepublishedRange) {
  const ids = tenantId === undefined ? await readTenantIds(database) : [tenantId];
  const { deviceRequestId, expiresAt, repliedAt } = deviceRequests;
  for (const id of ids) {
    let last = firstIdAt(new Date(Date.parse(until) - LONGEST_WAIT_MS).toISOString());
    for (;;) {
      const askedAt = performance.now();
      const rows = await asAllTenants(database, (tx) =>
        tx
          .select({ ...getTableColumns(deviceRequests), leftMs: timeLeft('infinity') })
          .from(deviceRequests)
          .where(
            sql`${deviceRequests.tenantId} = ${id} and ${deviceRequestId} > ${last} and ${expiresAt} > now() and ${repliedAt} is not null`,
          )
          .orderBy(asc(deviceRequestId))
          .limit(PAGE),
      );
      const next = rows.at(-1);
      if (!next) break;
      yield { messages: rows.flatMap((row) => toReplyMessage(row, askedAt) ?? []), resumeFrom: since };
      last = next.deviceRequestId;
    }
  }
}

const BATCH = 500;

const overdueRequests = statement(
  'device requests: expire',
  (now: string, soonSeconds: number) => fixedSql`
    with expired as (
      update device_requests set status = 'EXPIRED'
      where ctid = any (array(
        select ctid from device_requests
        where status = 'PENDING' and expires_at <= least(now(), ${now}::timestamptz)
        order by expires_at
        limit ${BATCH}
        for no key update skip locked
      ))
      returning device_requests.tenant_id
    )
    select (select coalesce(json_agg(tenant_id), '[]') from expired) as tenants,
      exists (
        select from device_requests
        where status = 'PENDING' and expires_at < now() + make_interval(secs => ${soonSeconds})
      ) as is_due_soon`,
);

/** Sets EXPIRED on requests without a reply in time. */
export async function sweepDeviceRequests(
  transaction: Owned['transaction'],
  signals: Signals,
  now: Now,
): Promise<Progress> {
  type Found = { tenants: string[]; is_due_soon: boolean };
  const [found] = await transaction((tx) => tx.execute<Found>(overdueRequests(now(), quietMs(signals) / 1_000 + 1)));
  const tenants = found?.tenants ?? [];
  signals.send(tenants.map((tenantId) => topics.deviceRequests(tenantId)));
  if (tenants.length > 0) return 'AGAIN';
  return found?.is_due_soon ? 'WAIT' : 'QUIET';
}
