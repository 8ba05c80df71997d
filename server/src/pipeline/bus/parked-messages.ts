import { type ErrorDetail, PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { MAX_MESSAGE_BYTES, readSubject } from '@tenant-open-platform/contract/bus';
import { batched } from '../../foundation/database/batched.js';
import type { Database, Transaction } from '../../foundation/database/database.js';
import { nodeClock, type Purge } from '../../foundation/database/purge-by-age.js';
import { asAllTenantsStatement } from '../../foundation/database/row-level-security.js';
import { fixedSql, statement } from '../../foundation/database/statement.js';
import { ID, newIdTail } from '../../foundation/ids.js';
import type { Delivery } from './bus.js';

/** How many bytes are kept of a message that is larger than an adapter may send. */
const KEPT_BYTES = 4_096;

export type ParkingReason = { reason: string; details?: ErrorDetail[] | undefined };

type Parked = ParkingReason & { subject: string; body: Buffer };

/** Parks messages that cannot be handled. All that arrive at the same time share one statement. */
export const createParker = (database: Database) =>
  batched<Parked, undefined>(
    ({ subject }) => subject,
    (messages) => asAllTenantsStatement(database, parking(messages)).then(() => messages.map(() => undefined)),
  );

export const parkMessage = (tx: Transaction, { subject, body }: Omit<Parked, 'reason'>, reason: string) =>
  tx.execute(parking([{ subject, body, reason }]));

/**
 * A message of a deleted tenant is dropped: nothing of the tenant may come back. One of a tenant that moves is kept for
 * tenant `platform`.
 */
function parking(messages: readonly Parked[]) {
  const rows = messages.map(({ subject, body, reason, details = [] }) => {
    const isWhole = body.length <= MAX_MESSAGE_BYTES;
    return {
      id_tail: newIdTail(),
      tenant_id: readSubject(subject)?.tenantId ?? PLATFORM_TENANT_ID,
      subject: printable(subject),
      reason,
      details,
      body: (isWhole ? body : body.subarray(0, KEPT_BYTES)).toString('base64'),
      is_whole: isWhole,
    };
  });
  return newRows(JSON.stringify(rows));
}

const newRows = statement(
  'parked messages: store',
  (rows: string) => fixedSql`
    insert into parked_messages (tenant_id, parked_message_id, subject, reason, details, body, is_whole)
    select case when tenants.move is null or tenants.move ->> 'step' = 'CLOSING' then coalesce(tenants.tenant_id, 'platform') else 'platform' end,
      (lpad(to_hex(round(extract(epoch from now()) * 1000)::bigint), 12, '0') || id_tail)::uuid, subject,
      reason, details, decode(body, 'base64'), is_whole
    from json_to_recordset(${rows}::text::json)
      as parked (
        id_tail text, tenant_id text, subject text, reason text, details jsonb, body text, is_whole boolean
      )
    left join tenants using (tenant_id)
    where coalesce(tenants.status not in ('DELETING', 'DELETED'), true)`,
);

/** Postgres stores no NUL in text. A message that cannot be parked would be redelivered forever. */
const printable = (subject: string) => subject.slice(0, 512).replace(/[^\x20-\x7E]/g, '?');

const PREFIX = 'parked:';

/** The id under which a parked message is published again. It tells the taker which row to delete. */
export const retriedMessageId = (parkedMessageId: string) => `${PREFIX}${parkedMessageId}`;

const parkedIdOf = ({ messageId }: Delivery): string | null => {
  const id = messageId.startsWith(PREFIX) ? messageId.slice(PREFIX.length) : '';
  return ID.test(id) ? id : null;
};

type Copy = { tenantId: string; id: string; subject: string; body: Buffer; idTail: string };

/**
 * Deletes the parked copy of a message, and with a reason parks it again. An adapter can give its messages any id.
 * Subject and body must be the same too, so a wrong id deletes nothing but the copy of the message that was just handled.
 */
const replacement = statement(
  'parked messages: delete or replace the copy',
  ({ tenantId, id, subject, body, idTail }: Copy, reason: string | null, details: string) => fixedSql`
    with copy as (
      delete from parked_messages
      where tenant_id in (${tenantId}, 'platform') and parked_message_id = ${id} and subject = ${subject} and body = ${body}
      returning tenant_id, subject, body, is_whole
    )
    insert into parked_messages (tenant_id, parked_message_id, subject, reason, details, body, is_whole)
    select tenant_id, (lpad(to_hex(round(extract(epoch from now()) * 1000)::bigint), 12, '0') || ${idTail}::text)::uuid,
      subject, ${reason}::text, ${details}::text::jsonb, body, is_whole
    from copy join tenants using (tenant_id)
    where tenants.status not in ('MOVED', 'DELETING', 'DELETED') and ${reason}::text is not null`,
);

/**
 * Replaces the parked copy of a message that is refused again: the copy gets a new id, time and reason. Without a reason
 * the copy is deleted. Returns false if there is no copy, or its tenant is deleted. It adds no row, so it needs no quota.
 */
export async function replaceParkedCopy(database: Database, delivery: Delivery, why: ParkingReason | null) {
  const { subject, body } = delivery;
  const id = parkedIdOf(delivery);
  if (!id) return false;
  const tenantId = readSubject(subject)?.tenantId ?? PLATFORM_TENANT_ID;
  const copy = { tenantId, id, subject, body, idTail: newIdTail() };
  const replace = replacement(copy, why?.reason ?? null, JSON.stringify(why?.details ?? []));
  return (await asAllTenantsStatement(database, replace)).count > 0;
}

const BATCH = 1_000;
/** How much a tenant may keep. Its oldest messages above these limits are deleted. */
const MAX_ROWS = 10_000;
const MAX_BYTES = 64 * 1_024 * 1_024;
/** MAX_BYTES divided by 64 KiB, the size of the largest body that is kept. */
const ROWS_THAT_FIT = 1_024;

/** Deletes expired messages, then goes through the tenants and deletes what is above their limits. */
export function purgeParkedMessages(keptDays: number): Purge {
  let lastTenantId = '';
  return {
    table: 'parked_messages',
    async round(tx) {
      const { count: expired } = await tx.execute(expiredRows(nodeClock(), keptDays));
      if (expired > 0) return { removed: expired, hasMore: true };
      const [beyond] = await tx.execute<Beyond>(rowsBeyondLimit(lastTenantId));
      if (!beyond) throw new Error('The statement returned no row.');
      const { tenantId, removed } = beyond;
      if (removed < BATCH) lastTenantId = tenantId ?? '';
      return { removed, hasMore: tenantId !== null };
    },
  };
}

const expiredRows = statement(
  'parked messages: delete expired',
  (now: string, keptDays: number) => fixedSql`
    delete from parked_messages
    where ctid = any (array(
      select ctid from parked_messages
      where parked_at < least(now(), ${now}::timestamptz) - make_interval(days => ${keptDays})
      order by parked_at limit ${BATCH}
    ))`,
);

type Beyond = { tenantId: string | null; removed: number };

/**
 * Deletes messages of the next tenant that may be above its limits. The tenantId is null if there is none. It reads the
 * newest MAX_ROWS + BATCH messages of the tenant. The next round reads older ones, once these are deleted.
 */
const rowsBeyondLimit = statement(
  'parked messages: delete beyond the limit',
  (after: string) => fixedSql`
    with next as (
      select tenant_id from tenants
      where tenant_id > ${after} and exists (
        select from parked_messages where parked_messages.tenant_id = tenants.tenant_id offset ${ROWS_THAT_FIT}
      )
      order by tenant_id limit 1
    ), newest as (
      select ctid, parked_message_id, octet_length(body) as bytes from parked_messages
      where tenant_id = (select tenant_id from next)
      order by parked_message_id desc limit ${MAX_ROWS + BATCH}
    ), measured as (
      select ctid, row_number() over in_order as place, sum(bytes) over in_order as bytes
      from newest window in_order as (order by parked_message_id desc rows unbounded preceding)
    ), deleted as (
      delete from parked_messages
      where ctid = any (array(
        select ctid from measured
        where place > ${MAX_ROWS} or bytes > ${MAX_BYTES} order by place desc limit ${BATCH}
      ))
      returning 1
    )
    select (select tenant_id from next) as "tenantId", (select count(*)::int from deleted) as removed`,
);
