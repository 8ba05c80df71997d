import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { readSubject } from '@tenant-open-platform/contract/bus';
import type postgres from 'postgres';
import type { Database } from '../database/database.js';
import { asAllTenantsStatement } from '../database/roles.js';
import { ID_TIME, newIdTail } from '../new-id.js';
import type { Delivery } from './bus.js';
import type { Refusal } from './parked-messages.js';

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
  const replaced = await asAllTenantsStatement(database)`
    with copy as (
      delete from parked_messages where ${isCopy(database.sql, delivery, id)} returning tenant_id, subject, body, is_whole
    )
    insert into parked_messages (tenant_id, parked_message_id, subject, reason, details, body, is_whole)
    select tenant_id, (${database.sql.unsafe(ID_TIME)} || ${newIdTail()}::text)::uuid, subject, ${reason}::text,
      ${JSON.stringify(details)}::text::jsonb, body, is_whole
    from copy join tenants using (tenant_id) where tenants.status not in ('DELETING', 'DELETED')
    returning 1`;
  return replaced.length > 0;
}
