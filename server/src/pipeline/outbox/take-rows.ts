import type { Transaction } from '../../foundation/database/database.js';
import { fixedSql, statement } from '../../foundation/database/statement.js';
import type { OutboxRow } from '../tables.js';

/** At most this many rows leave together. */
export const BATCH = 256;
/** A quick pass finds a row that was committed late if fewer rows than this were written after it. */
export const OVERLAP = 4_000;

export type LeftOut = {
  /** Rows whose messages still await their acknowledgement. */
  inFlight: readonly string[];
  /** Tenants whose rows must wait: see paused-tenants.ts. */
  paused: readonly string[];
  /** The slots to take rows of. */
  slots: readonly number[];
};

/** The rows that a round takes. */
export type RoundRows = {
  rows: OutboxRow[];
  /** The tenant after which the next round begins. */
  after: string;
  /** Whether a tenant has taken its whole share: it may have more. Tenants whose rows are in flight count for the share. */
  isFull: boolean;
};

type Found = { tenant_id: string; is_last: boolean; share: number } & (OutboxRow | { position: null });

type Given = { after: string; inFlight: string; paused: string; slots: string; withLogged: boolean };

/**
 * The next rows: each waiting tenant gets an equal share of the batch, in order within the tenant. The statement skips
 * from tenant to tenant in the index, so its cost depends on the number of waiting tenants, not of rows. Rows that were
 * logged while the bus was away come first. A paused tenant takes no share, nor does one of another slot. `inFlight`, `paused`
 * and `slots`: lists with commas.
 */
const nextRows = statement(
  'relay: next rows',
  ({ after, inFlight, paused, slots, withLogged }: Given) => fixedSql`
    with recursive passed_tenant (tenant_id, number) as (
      (select tenant_id, 1 from outbox where tenant_id > ${after} order by tenant_id limit 1)
      union all
      select
        (select tenant_id from outbox where tenant_id > passed_tenant.tenant_id order by tenant_id limit 1), number + 1
      from passed_tenant where tenant_id is not null and number < ${BATCH}
    ), waiting_tenant as materialized (
      select tenant_id, number,
        tenant_id <> all (string_to_array(${paused}, ','))
          and tenant_slot_v1(tenant_id) = any (string_to_array(${slots}, ',')::int[]) as may_leave
      from passed_tenant where tenant_id is not null
    ), share as (
      select greatest(1, ${BATCH} / nullif(count(*) filter (where may_leave), 0)) as count from waiting_tenant
    )
    select waiting_tenant.tenant_id, number = ${BATCH} as is_last, (select count::int from share) as share,
      of_tenant.is_logged, of_tenant.position::text, of_tenant.kind, of_tenant.fact_id
    from waiting_tenant left join lateral (
      select of_part.* from (values (true), (false)) as part (is_logged)
      cross join lateral (
        select position, kind, fact_id, outbox.is_logged from outbox
        where tenant_id = waiting_tenant.tenant_id and outbox.is_logged = part.is_logged
          and (${withLogged} or not part.is_logged)
          and position <> all (string_to_array(${inFlight}, ',')::bigint[])
          and waiting_tenant.may_leave
        order by position limit (select count from share)
      ) as of_part
      limit (select count from share)
    ) as of_tenant on true
    order by number, of_tenant.is_logged desc, of_tenant.position`,
);

/**
 * The next rows of these tenants from their positions on. It does not read the rows that have left before, which stay in
 * the index while another client has an old transaction open. It misses other tenants and rows that were committed very
 * late. `offset 0` keeps the planner from a join that reads the whole outbox.
 */
const nextRowsFrom = statement(
  'relay: next rows from known positions',
  ({ positions, inFlight, paused, slots }: Record<'positions' | 'inFlight' | 'paused' | 'slots', string>) => fixedSql`
    with waiting_tenant (tenant_id, first, number) as materialized (
      select tenant_id, first, row_number() over (order by tenant_id)
      from json_to_recordset(${positions}::text::json) as known (tenant_id text, first bigint)
      where tenant_slot_v1(tenant_id) = any (string_to_array(${slots}, ',')::int[]) and exists (
        select from outbox
        where outbox.tenant_id = known.tenant_id and not is_logged and position > first - ${OVERLAP}::int
          and position <> all (string_to_array(${inFlight}, ',')::bigint[])
          and known.tenant_id <> all (string_to_array(${paused}, ','))
        offset 0
      )
    ), share as (
      select greatest(1, ${BATCH} / nullif(count(tenant_id), 0)) as count from waiting_tenant
    )
    select waiting_tenant.tenant_id, number = ${BATCH} as is_last, (select count::int from share) as share,
      of_tenant.is_logged, of_tenant.position::text, of_tenant.kind, of_tenant.fact_id
    from waiting_tenant left join lateral (
      select position, kind, fact_id, is_logged from outbox
      where tenant_id = waiting_tenant.tenant_id and not is_logged and position > first - ${OVERLAP}::int
        and position <> all (string_to_array(${inFlight}, ',')::bigint[])
      order by position limit (select count from share)
    ) as of_tenant on true
    order by number, of_tenant.position`,
);

/** No tenant id contains a comma. */
const asLists = ({ inFlight, paused, slots }: LeftOut) => ({
  inFlight: inFlight.join(),
  paused: paused.join(),
  slots: slots.join(),
});

export const takeRows = async (tx: Transaction, { after, ...leftOut }: LeftOut & { after: string }) =>
  toRound(await tx.execute<Found>(nextRows({ after, ...asLists(leftOut), withLogged: true })));

/** `known`: for each tenant, the position of the first row that it had when it was last seen. */
export async function takeRowsFrom(tx: Transaction, known: ReadonlyMap<string, string>, leftOut: LeftOut) {
  const positions = JSON.stringify([...known].map(([tenant_id, first]) => ({ tenant_id, first })));
  return toRound(await tx.execute<Found>(nextRowsFrom({ positions, ...asLists(leftOut) })));
}

/** Takes the next rows that are not logged yet. */
export const takeUnloggedRows = async (tx: Transaction, after: string, slots: readonly number[]) =>
  toRound(
    await tx.execute<Found>(nextRows({ after, inFlight: '', paused: '', slots: slots.join(), withLogged: false })),
  );

function toRound(found: readonly Found[]): RoundRows {
  const rows = found.flatMap((row) => (row.position === null ? [] : [row]));
  return {
    rows,
    after: found.find(({ is_last }) => is_last)?.tenant_id ?? '',
    isFull: rows.some(({ tenant_id, share }, index) => rows[index + share - 1]?.tenant_id === tenant_id),
  };
}

/**
 * Looks up each row by its primary key. A join would read the whole outbox while Postgres has no statistics of it, or
 * has statistics from a time when it was nearly empty.
 */
const deletion = statement(
  'relay: delete rows',
  (keys: string) => fixedSql`
    delete from outbox where ctid = any (array(
      select (
        select ctid from outbox
        where outbox.tenant_id = asked.tenant_id and outbox.is_logged = asked.is_logged
          and outbox.position = asked.position
      )
      from json_to_recordset(${keys}::text::json) as asked (tenant_id text, is_logged boolean, position bigint)
    ))`,
);

/** Looks up each row as the deletion does. */
const firstAsLogged = statement(
  'relay: put logged rows first',
  (keys: string) => fixedSql`
    with logged as (
      delete from outbox where ctid = any (array(
        select (
          select ctid from outbox
          where outbox.tenant_id = asked.tenant_id and outbox.is_logged = asked.is_logged
            and outbox.position = asked.position
        )
        from json_to_recordset(${keys}::text::json) as asked (tenant_id text, is_logged boolean, position bigint)
      ))
      returning outbox.*
    )
    insert into outbox (tenant_id, is_logged, kind, fact_id, created_at)
    select tenant_id, true, kind, fact_id, created_at from logged order by position`,
);

const keysOf = (rows: readonly OutboxRow[]) =>
  JSON.stringify(rows.map(({ tenant_id, is_logged, position }) => ({ tenant_id, is_logged, position })));

/** Deletes the rows whose messages the bus has acknowledged, or that need no message. */
export async function deleteRows(tx: Transaction, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length > 0) await tx.execute(deletion(keysOf(rows)));
}

/** Puts rows, which are logged now, before the rows that are not. */
export async function queueAsLogged(tx: Transaction, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length > 0) await tx.execute(firstAsLogged(keysOf(rows)));
}

/** After a full pass, quick passes follow for this many times its duration. */
const QUICK_FOR_FULL = 3;
/** Their maximum duration: new tenants and rows that were committed late wait for the next full pass. */
const LONGEST_QUICK_MS = 500;

type Taken = RoundRows & { isQuick: boolean; tookMs: number };

/**
 * Full passes find every waiting row. While another client has an old transaction open, Postgres cannot remove the rows
 * that have left, and a full pass reads all of them. Quick passes begin at the first waiting row of each tenant.
 */
export function createPasses() {
  /** The tenant after which the next pass begins. */
  let after = '';
  let quickUntil = 0;
  /** By tenant: the position of its first row. Holds the tenants that were seen last. */
  const firstPositions = new Map<string, string>();

  return {
    after: () => after,

    async take(tx: Transaction, leftOut: LeftOut): Promise<Taken> {
      const startedAt = performance.now();
      const isQuick = startedAt < quickUntil && firstPositions.size > 0 && after === '';
      const taken = isQuick
        ? await takeRowsFrom(tx, firstPositions, leftOut)
        : await takeRows(tx, { after, ...leftOut });
      return { ...taken, isQuick, tookMs: performance.now() - startedAt };
    },

    /** Call it when the transaction has committed. */
    committed({ rows, after: next, isQuick, tookMs }: Taken): void {
      after = next;
      // Backwards, so that each tenant keeps its first row. Logged rows are left out: a quick pass never takes them.
      for (const { tenant_id, is_logged, position } of rows.toReversed()) {
        firstPositions.delete(tenant_id);
        if (!is_logged) firstPositions.set(tenant_id, position);
      }
      for (const tenantId of firstPositions.keys()) {
        if (firstPositions.size <= BATCH) break;
        firstPositions.delete(tenantId);
      }
      if (rows.length === 0) quickUntil = 0;
      else if (!isQuick) quickUntil = performance.now() + Math.min(LONGEST_QUICK_MS, QUICK_FOR_FULL * tookMs);
    },

    /** The next pass is full and begins after this tenant. */
    beginAfter(tenantId: string): void {
      after = tenantId;
      quickUntil = 0;
      firstPositions.clear();
    },
  };
}
