import { sql } from 'drizzle-orm';
import type { Transaction } from '../database/database.js';
import type { OutboxRow } from './outbox-kind.js';

/** Deletes the rows whose messages the bus has acknowledged, or that need no message. */
export async function deleteRows(tx: Transaction, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`delete from outbox where ${isOneOf(rows)}`);
}

/** Puts rows, which are logged now, before the rows that are not. */
export async function queueAsLogged(tx: Transaction, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`
    with logged as (
      delete from outbox where ${isOneOf(rows)}
      returning outbox.*
    )
    insert into outbox (tenant_id, is_logged, kind, fact_id, created_at)
    select tenant_id, true, kind, fact_id, created_at from logged order by position`);
}

/**
 * Looks up each row by its primary key. A join would read the whole outbox while Postgres has no statistics of it, or
 * has statistics from a time when it was nearly empty.
 */
function isOneOf(rows: readonly OutboxRow[]) {
  const keys = rows.map(({ tenant_id, is_logged, position }) => ({ tenant_id, is_logged, position }));
  return sql`
    ctid = any (array(
      select (
        select ctid from outbox
        where outbox.tenant_id = asked.tenant_id and outbox.is_logged = asked.is_logged
          and outbox.position = asked.position
      )
      from json_to_recordset(${JSON.stringify(keys)}::text::json) as asked (
        tenant_id text, is_logged boolean, position bigint
      )
    ))`;
}
