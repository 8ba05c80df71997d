import { type ErrorDetail, PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { MAX_MESSAGE_BYTES, readSubject } from '@tenant-open-platform/contract/bus';
import type postgres from 'postgres';
import { batched } from '../../foundation/database/batched.js';
import type { Database } from '../../foundation/database/database.js';
import { nodeClock, type Purge } from '../../foundation/database/purge-by-age.js';
import { asAllTenantsStatement } from '../../foundation/database/row-level-security.js';
import { ID, ID_TIME, newIdTail } from '../../foundation/ids.js';
import type { Delivery } from './bus.js';

/** How many bytes are kept of a message that is larger than an adapter may send. */
const KEPT_BYTES = 4_096;

export type Refusal = { reason: string; details?: ErrorDetail[] | undefined };

type Parked = Refusal & { subject: string; body: Buffer };

/** Parks messages that cannot be handled. All that arrive at the same time share one statement. */
export const createParker = (database: Database) =>
  batched<Parked, undefined>(
    ({ subject }) => subject,
    async (messages) => {
      await parkMessages(database, messages);
      return messages.map(() => undefined);
    },
  );

export const parkMessage = (
  database: Database,
  { subject, body }: { subject: string; body: Buffer },
  reason: string,
): Promise<unknown> => parkMessages(database, [{ subject, body, reason }]);

/** A message of a deleted tenant is dropped: nothing of the tenant may come back. */
function parkMessages(database: Database, messages: readonly Parked[]): Promise<unknown> {
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
  return asAllTenantsStatement(database)`
    insert into parked_messages (tenant_id, parked_message_id, subject, reason, details, body, is_whole)
    select coalesce(tenants.tenant_id, ${PLATFORM_TENANT_ID}), (${database.sql.unsafe(ID_TIME)} || id_tail)::uuid, subject,
      reason, details, decode(body, 'base64'), is_whole
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as parked (
        id_tail text, tenant_id text, subject text, reason text, details jsonb, body text, is_whole boolean
      )
    left join tenants using (tenant_id)
    where coalesce(tenants.status not in ('DELETING', 'DELETED'), true)`;
}

/** Postgres stores no NUL in text. A message that cannot be parked would be redelivered forever. */
const printable = (subject: string) => subject.slice(0, 512).replace(/[^\x20-\x7E]/g, '?');

const PREFIX = 'parked:';

/** The id under which a parked message is published again. It tells the taker which row to delete. */
export const retriedMessageId = (parkedMessageId: string) => `${PREFIX}${parkedMessageId}`;

const parkedIdOf = ({ messageId }: Delivery): string | null => {
  const id = messageId.startsWith(PREFIX) ? messageId.slice(PREFIX.length) : '';
  return ID.test(id) ? id : null;
};

/**
 * An adapter can give its messages any id. Subject and body must be the same too, so a wrong id deletes nothing but the
 * copy of the message that was just handled.
 */
const isCopy = (sql: postgres.Sql, { subject, body }: Delivery, parkedId: string) => sql`
  tenant_id in (${readSubject(subject)?.tenantId ?? PLATFORM_TENANT_ID}, ${PLATFORM_TENANT_ID})
  and parked_message_id = ${parkedId} and subject = ${subject} and body = ${body}`;

/** Deletes the parked copy of a message that is now taken. */
export async function deleteParkedCopy(database: Database, delivery: Delivery): Promise<void> {
  const id = parkedIdOf(delivery);
  if (!id) return;
  await asAllTenantsStatement(database)`delete from parked_messages where ${isCopy(database.sql, delivery, id)}`;
}

/**
 * Replaces the parked copy of a message that is refused again: it gets a new id, time and reason. Returns false if there
 * is no copy, or its tenant is deleted. It needs no quota, because it adds no row.
 */
export async function replaceParkedCopy(database: Database, delivery: Delivery, refusal: Refusal): Promise<boolean> {
  const { reason, details = [] } = refusal;
  const id = parkedIdOf(delivery);
  if (!id) return false;
  const { count } = await asAllTenantsStatement(database)`
    with copy as (
      delete from parked_messages where ${isCopy(database.sql, delivery, id)} returning tenant_id, subject, body, is_whole
    )
    insert into parked_messages (tenant_id, parked_message_id, subject, reason, details, body, is_whole)
    select tenant_id, (${database.sql.unsafe(ID_TIME)} || ${newIdTail()}::text)::uuid, subject, ${reason}::text,
      ${JSON.stringify(details)}::text::jsonb, body, is_whole
    from copy join tenants using (tenant_id) where tenants.status not in ('DELETING', 'DELETED')`;
  return count > 0;
}

const BATCH = 1_000;
/** How much a tenant may keep. Its oldest messages above these limits are deleted. */
const MAX_ROWS = 10_000;
const MAX_BYTES = 64 * 1_024 * 1_024;
/** MAX_BYTES divided by 64 KiB, the size of the largest body that is kept. */
const ROWS_THAT_FIT = 1_024;

/** Deletes expired messages, then goes through the tenants and deletes what is above their limits. */
export function purgeParkedMessages(database: Database, keptDays: number): Purge {
  let lastTenantId = '';
  return {
    table: 'parked_messages',
    async round() {
      const expired = await deleteExpired(database, keptDays);
      if (expired > 0) return { removed: expired, hasMore: true };
      const { tenantId, removed } = await deleteBeyondLimit(database, lastTenantId);
      if (removed < BATCH) lastTenantId = tenantId ?? '';
      return { removed, hasMore: tenantId !== null };
    },
  };
}

async function deleteExpired(database: Database, keptDays: number): Promise<number> {
  const { count } = await asAllTenantsStatement(database)`
    delete from parked_messages
    where ctid = any (array(
      select ctid from parked_messages
      where parked_at < least(now(), ${nodeClock()}::timestamptz) - make_interval(days => ${keptDays}) order by parked_at limit ${BATCH}
    ))`;
  return count;
}

/**
 * Deletes messages of the next tenant that may be above its limits. The tenantId is null if there is none. It reads the
 * newest MAX_ROWS + BATCH messages of the tenant. The next round reads older ones, once these are deleted.
 */
async function deleteBeyondLimit(database: Database, after: string) {
  const [done] = await asAllTenantsStatement<{ tenantId: string | null; removed: number }>(database)`
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
    select (select tenant_id from next) as "tenantId", (select count(*)::int from deleted) as removed`;
  if (!done) throw new Error('The statement returned no row.');
  return done;
}
