import { type ErrorDetail, PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { MAX_MESSAGE_BYTES, readSubject } from '@tenant-open-platform/contract/bus';
import type postgres from 'postgres';
import type { Database } from '../database/database.js';
import { asAllTenantsStatement } from '../database/roles.js';
import { ID_TIME, newIdTail } from '../new-id.js';
import { batched } from '../waiting/batched.js';
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
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The id under which a parked message is published again. It tells the taker which row to delete. */
export const retriedMessageId = (parkedMessageId: string) => `${PREFIX}${parkedMessageId}`;

const parkedIdOf = ({ messageId }: Delivery): string | null => {
  const id = messageId.startsWith(PREFIX) ? messageId.slice(PREFIX.length) : '';
  return UUID.test(id) ? id : null;
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
