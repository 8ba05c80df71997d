import { sql } from 'drizzle-orm';
import type { Transaction } from '../database/database.js';
import type { OutboxRow } from './outbox-kind.js';

/** At most this many rows leave together. */
export const BATCH = 256;
/** A quick pass finds a row that was committed late if fewer rows than this were written after it. */
export const OVERLAP = 4_000;

export type LeftOut = {
  /** Rows whose messages still await their acknowledgement. */
  inFlight: readonly string[];
  /** Tenants whose rows must wait: see held-tenants.ts. */
  held: readonly string[];
};

/** The rows that a round takes. */
export type Turn = {
  rows: OutboxRow[];
  /** The tenant after which the next turn begins. */
  after: string;
  /** Whether a tenant has taken its whole share: it may have more. Tenants whose rows are in flight count for the share. */
  isFull: boolean;
};

/** Tenants with the position of the first row that they had when they were last seen. */
export type FirstPositions = ReadonlyMap<string, string>;

/**
 * Takes the next rows in turns: each waiting tenant gets an equal share of the batch, in order within the tenant. The
 * statement skips from tenant to tenant in the index, so its cost depends on the number of waiting tenants and not on
 * the number of rows. Rows that were logged while the bus was away come first.
 */
export const takeRows = (tx: Transaction, { after, ...leftOut }: LeftOut & { after: string }) =>
  takeInTurns(
    tx,
    waitingAfter(after),
    leftOut.held,
    sql`
      select * from (
        (
          select position, kind, fact_id, is_logged from outbox
          where tenant_id = waiting.tenant_id and is_logged ${without(leftOut)}
          order by position limit (select count from share)
        ) union all (
          select position, kind, fact_id, is_logged from outbox
          where tenant_id = waiting.tenant_id and not is_logged ${without(leftOut)}
          order by position limit (select count from share)
        )
      ) as both_parts
      limit (select count from share)`,
  );

/**
 * Takes the next rows of these tenants from their positions on. It does not read the rows that have left before, which
 * stay in the index while another client has an old transaction open. It misses other tenants and rows that were
 * committed very late. `offset 0` keeps the planner from a join that reads the whole outbox.
 */
export const takeRowsFrom = (tx: Transaction, positions: FirstPositions, leftOut: LeftOut) => {
  const given = JSON.stringify([...positions].map(([tenant_id, first]) => ({ tenant_id, first })));
  const rest = sql`
    tenant_id = waiting.tenant_id and not is_logged and position > waiting.first - ${OVERLAP} ${without(leftOut)}`;
  return takeInTurns(
    tx,
    sql`
      waiting (tenant_id, first, number) as materialized (
        select tenant_id, first, row_number() over (order by tenant_id)
        from json_to_recordset(${given}::text::json) as waiting (tenant_id text, first bigint)
        where exists (select from outbox where ${rest} offset 0)
      )`,
    [],
    sql`
      select position, kind, fact_id, is_logged from outbox where ${rest}
      order by position limit (select count from share)`,
  );
};

/** Takes the next rows that are not logged yet. */
export const takeUnloggedRows = (tx: Transaction, after: string) =>
  takeInTurns(
    tx,
    waitingAfter(after),
    [],
    sql`
      select position, kind, fact_id, is_logged from outbox
      where tenant_id = waiting.tenant_id and not is_logged
      order by position limit (select count from share)`,
  );

/** Finds the waiting tenants by skipping from tenant to tenant in the index. */
const waitingAfter = (after: string) => sql`
  waiting (tenant_id, number) as (
    (select tenant_id, 1 from outbox where tenant_id > ${after} order by tenant_id limit 1)
    union all
    select
      (select tenant_id from outbox where tenant_id > waiting.tenant_id order by tenant_id limit 1), number + 1
    from waiting where tenant_id is not null and number < ${BATCH}
  )`;

const without = ({ inFlight, held }: LeftOut) => sql`
  ${inFlight.length === 0 ? sql`` : sql`and position <> all (string_to_array(${inFlight.join()}, ',')::bigint[])`}
  and ${isNoneOf(held)}`;

/** No tenant id contains a comma. */
const isNoneOf = (held: readonly string[]) =>
  held.length === 0 ? sql`true` : sql`waiting.tenant_id <> all (string_to_array(${held.join()}, ','))`;

type Found = { tenant_id: string; is_last: boolean; share: number } & (OutboxRow | { position: null });

/** A held tenant takes no share from the others. */
async function takeInTurns(
  tx: Transaction,
  waiting: ReturnType<typeof sql>,
  held: readonly string[],
  rowsOfTenant: ReturnType<typeof sql>,
): Promise<Turn> {
  const found = await tx.execute<Found>(sql`
    with recursive ${waiting}, share as (
      select greatest(1, ${BATCH} / nullif(count(tenant_id), 0)) as count from waiting where ${isNoneOf(held)}
    )
    select waiting.tenant_id, waiting.number = ${BATCH} as is_last, (select count::int from share) as share,
      of_tenant.is_logged, of_tenant.position::text, of_tenant.kind, of_tenant.fact_id
    from waiting left join lateral (${rowsOfTenant}) as of_tenant on true
    where waiting.tenant_id is not null
    order by waiting.number, of_tenant.is_logged desc, of_tenant.position`);
  const rows = found.flatMap((row) => (row.position === null ? [] : [row]));
  return {
    rows,
    after: found.find(({ is_last }) => is_last)?.tenant_id ?? '',
    isFull: rows.some(({ tenant_id, share }, index) => rows[index + share - 1]?.tenant_id === tenant_id),
  };
}

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
