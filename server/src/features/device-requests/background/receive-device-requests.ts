import type { DeviceRequestMessage } from '@tenant-open-platform/contract/bus';
import { sql } from 'drizzle-orm';
import type { Handled, MessageSource } from '../../../platform/bus/take-message.js';
import type { Database, Transaction } from '../../../platform/database/database.js';
import { asAllTenants } from '../../../platform/database/roles.js';
import { idTimeOf, newIdTail } from '../../../platform/new-id.js';
import { type Signals, topics } from '../../../platform/signals/signals.js';
import { batched } from '../../../platform/waiting/batched.js';

/** A request of a device. Tenant and vendor come from its subject. */
export type DeviceRequest = { tenantId: string; vendor: string; sentAt: Date; message: DeviceRequestMessage };

/** RECEIVED: stored. REPEATED: received before under the same dedupe_id; nothing changes. */
export type Reception = 'RECEIVED' | 'REPEATED' | 'UNKNOWN_TENANT' | 'UNKNOWN_VENDOR';

const DEFAULT_EXPIRES_IN_SECONDS = 300;

type Row = { has_tenant: boolean; has_vendor: boolean; is_new: boolean };

/** An arbitrary lock number that only transactions that store device requests use. */
const ADVISORY_LOCK = 5_120_998_348n;

/**
 * Stores device requests. All that wait share one statement. Such transactions run one after the other, and each uses
 * later times than the stored ones. So commits come in the order of the ids, and a reader with a cursor misses no
 * request.
 */
export const createDeviceRequestReceiver = (database: Database, signals: Signals) =>
  batched<DeviceRequest, Reception>(
    ({ tenantId, vendor, message }) => `${tenantId} ${vendor} ${message.dedupe_id}`,
    async (incoming) => {
      const given = incoming.map(({ tenantId, vendor, sentAt, message }, position) => ({
        position,
        tenant_id: tenantId,
        vendor,
        ...message,
        expires_in_seconds: message.expires_in_seconds ?? DEFAULT_EXPIRES_IN_SECONDS,
        id_tail: newIdTail(),
        sent_at: sentAt.toISOString(),
      }));
      const store = (tx: Transaction) =>
        tx.execute<Row>(sql`
          with given as (
            select * from json_to_recordset(${JSON.stringify(given)}::text::json) as given (
              position int, tenant_id text, vendor text, device_id text, request_type text, payload json,
              dedupe_id text, expires_in_seconds int, id_tail text,
              sent_at timestamptz
            )
          ), timed as (
            select given.*, at as received_at, (${sql.raw(idTimeOf('at'))} || id_tail)::uuid as device_request_id,
              tenants.tenant_id is not null as has_tenant, vendors.vendor is not null as has_vendor
            from given
            cross join lateral (
              select greatest(clock_timestamp()::timestamptz(3), max(received_at) + interval '1 millisecond') as at
              from (
                select received_at from device_requests
                where device_requests.tenant_id = given.tenant_id order by device_request_id desc limit 1
              ) last
            ) received
            left join tenants on tenants.tenant_id = given.tenant_id and tenants.status = 'ACTIVE'
            left join vendors on vendors.vendor = given.vendor
              and (tenants.vendors is null or vendors.vendor = any (tenants.vendors))
          ), inserted as (
            insert into device_requests (
              tenant_id, device_request_id, vendor, device_id, request_type, payload, dedupe_id, status, received_at,
              expires_at
            )
            select tenant_id, device_request_id, vendor, device_id, request_type, payload, dedupe_id, 'PENDING',
              received_at, least(sent_at, received_at) + make_interval(secs => expires_in_seconds)
            from timed
            where has_tenant and has_vendor
            order by tenant_id, vendor, dedupe_id, position
            on conflict (tenant_id, vendor, dedupe_id) do nothing
            returning tenant_id, device_request_id
          )
          select has_tenant, has_vendor, inserted.device_request_id is not null as is_new
          from timed left join inserted using (tenant_id, device_request_id)
          order by position`);
      const lock = (tx: Transaction) =>
        tx.execute(sql`select pg_advisory_xact_lock(${ADVISORY_LOCK.toString()}::bigint)`);
      // Lock and insert leave together, which saves a round trip while the lock is held.
      const [, rows] = await asAllTenants(database, (tx) => Promise.all([lock(tx), store(tx)]));
      const received = incoming.filter((_one, index) => rows[index]?.is_new);
      signals.send(received.map(({ tenantId }) => topics.deviceRequests(tenantId)));
      return rows.map(toReception);
    },
  );

function toReception({ has_tenant, has_vendor, is_new }: Row): Reception {
  if (!has_tenant) return 'UNKNOWN_TENANT';
  if (!has_vendor) return 'UNKNOWN_VENDOR';
  return is_new ? 'RECEIVED' : 'REPEATED';
}

const MAX_PAYLOAD_BYTES = 32_768;

const refusals: Partial<Record<Reception, string>> = {
  UNKNOWN_TENANT: 'The tenant of the subject does not exist or is disabled.',
  UNKNOWN_VENDOR: 'The vendor of the subject is not in the catalog, or the tenant may not use it.',
};

export const takeDeviceRequest =
  (receive: (incoming: DeviceRequest) => Promise<Reception>) =>
  async (message: DeviceRequestMessage, sender: MessageSource): Promise<Handled> => {
    if (Buffer.byteLength(JSON.stringify(message.payload)) > MAX_PAYLOAD_BYTES) {
      return `The payload is larger than ${MAX_PAYLOAD_BYTES} bytes.`;
    }
    return refusals[await receive({ ...sender, message })] ?? 'DONE';
  };
