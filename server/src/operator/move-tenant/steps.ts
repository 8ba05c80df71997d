import { hostname, userInfo } from 'node:os';
import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../../foundation/database/database.js';
import { enterTenant } from '../../foundation/database/row-level-security.js';
import { StartupError } from '../../foundation/startup-error.js';
import { credentials, type Deletion, type Move, takenNames, tenants } from '../../foundation/tables.js';
import { type Facts, insertAuditEvent } from '../../gateway/audit/audit.js';
import type { Place } from './place.js';

/** Containers run with user ids that have no name. */
export function operatorOf(read = userInfo): string {
  try {
    return `${read().username}@${hostname()}`;
  } catch {
    return `uid ${process.getuid?.()}@${hostname()}`;
  }
}

const operator = operatorOf();

/**
 * Notes a step of the move: in the log of the tenant with the address of its clients, and in the log of tenant
 * `platform` with what only the operator may see. The transaction works for tenant `platform` afterwards.
 */
async function note(tx: Transaction, tenantId: string, step: string, { id, to, from }: Noted): Promise<void> {
  const noteIn = (log: string, after: Facts) =>
    insertAuditEvent(tx, {
      tenantId: log,
      clientId: 'move-tenant',
      operation: `moveTenant.${step}`,
      target: `platform/tenants/${tenantId}`,
      changes: [],
      before: null,
      after,
      outcome: 'DONE',
      requestId: id,
    });
  const known = { ...(to && { to }) };
  // At the end of a move the tenant's own log is deleted in the source.
  if (step !== 'leave') await noteIn(tenantId, known);
  await enterTenant(tx, PLATFORM_TENANT_ID);
  await noteIn(PLATFORM_TENANT_ID, { ...known, ...(from && { from }), operator });
}

type Noted = { id: string; to?: string; from?: string };

export type TenantRow = typeof tenants.$inferSelect;

export async function readTenant({ asTenant, tenantId }: Place): Promise<TenantRow | undefined> {
  const [row] = await asTenant((tx) => tx.select().from(tenants).where(sql`tenant_id = ${tenantId}`));
  return row;
}

const now = sql`to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** What the purge of purge-tenants.ts begins with. */
const newDeletion = sql<Deletion>`jsonb_build_object(
  'requested_at', ${now}, 'rows_deleted', 0, 'finished_at', null,
  'work', jsonb_build_object(
    'step', 0, 'after', null, 'rows_in_pass', 0, 'transaction', pg_current_xact_id()::text, 'since', now()
  )
)`;

const asJson = (move: Partial<Move>) => sql`${JSON.stringify(move)}::text::jsonb`;

/** Closes the source: from here on no request of the tenant is admitted. */
export async function close(source: Place, move: Required<Pick<Move, 'id' | 'to' | 'status'>>): Promise<void> {
  const { tenantId, asTenant } = source;
  const isClosed = await asTenant(async (tx) => {
    const { count } = await tx.execute(sql`
      update tenants set status = 'MOVING', updated_at = now(),
        move = ${asJson({ ...move, step: 'CLOSING' })} || jsonb_build_object('closed_at', ${now})
      where tenant_id = ${tenantId} and status = ${move.status}`);
    if (count > 0) await note(tx, tenantId, 'begin', { id: move.id, to: move.to });
    return count > 0;
  });
  if (!isClosed) throw new StartupError(`The status of ${tenantId} has just changed. Run the same command again.`);
}

/**
 * Takes the move from one of these steps to the next one. Only one command gets there: another one, which was frozen
 * meanwhile, finds another step.
 */
export async function advance(source: Place, id: string, from: Move['step'][], to: Partial<Move>): Promise<void> {
  const { tenantId, asTenant } = source;
  const advanced = await asTenant((tx) =>
    tx.execute(sql`
      update tenants set move = move || ${asJson(to)}
      where tenant_id = ${tenantId} and status = 'MOVING' and move ->> 'id' = ${id}
        and move ->> 'step' = any (string_to_array(${from.join()}, ','))`),
  );
  if (advanced.count === 0)
    throw new StartupError('Another command has taken over this move. Run the same command again.');
}

/** The last number of the event log of the source. */
export async function readLogEnd(source: Place): Promise<string> {
  const [end] = await source.readAsSystem<{ seq: string }>(sql`select log_end_v1()::text as seq`);
  return end?.seq ?? '0';
}

/** Makes the tenant in the target, where it is closed too, with its names. What it left there before is replaced. */
export async function reserve(
  target: Place,
  tenant: TenantRow,
  names: { kind: string; name: string }[],
): Promise<void> {
  const { tenantId, asTenant } = target;
  const move: Move = { id: tenant.move?.id ?? '', step: 'ARRIVING' };
  const { name, vendors, requestsPerMinute, createdAt } = tenant;
  await asTenant(async (tx) => {
    const values = { tenantId, name, status: 'MOVING' as const, vendors, requestsPerMinute, createdAt, move };
    await tx.insert(tenants).values(values).onConflictDoNothing();
    // `to` stays: if the move is undone, the tenant is where it was.
    await tx.execute(sql`
      update tenants as here set status = given.status, name = given.name, vendors = given.vendors,
        requests_per_minute = given.requests_per_minute, created_at = given.created_at, updated_at = now(),
        deletion = null, move = coalesce(here.move, '{}') || given.move
      from json_populate_record(null::tenants, ${JSON.stringify({
        status: values.status,
        name,
        vendors,
        requests_per_minute: requestsPerMinute,
        created_at: createdAt,
        move,
      })}::text::json) as given
      where here.tenant_id = ${tenantId} and here.status in ('MOVED', 'DELETED') and here.deletion ->> 'finished_at' is not null`);
    for (let at = 0; at < names.length; at += NAMES_AT_ONCE) {
      const rows = names.slice(at, at + NAMES_AT_ONCE).map((one) => ({ ...one, tenantId }));
      await tx
        .insert(takenNames)
        .values(rows as (typeof takenNames.$inferInsert)[])
        .onConflictDoNothing();
    }
  });
}

const NAMES_AT_ONCE = 1_000;

/** Opens the target. If a command before has opened it already, nothing changes. */
export async function open(
  target: Place,
  { id, status, from, to }: Required<Pick<Move, 'id' | 'status' | 'to'>> & { from: string },
): Promise<void> {
  const { tenantId, asTenant } = target;
  await asTenant(async (tx) => {
    const { count } = await tx.execute(sql`
      update tenants set status = ${status}, move = null, deletion = null, updated_at = now()
      where tenant_id = ${tenantId} and status = 'MOVING' and move ->> 'id' = ${id}`);
    if (count > 0) await note(tx, tenantId, 'arrive', { id, from, to });
  });
  const now = await readTenant(target);
  if (now?.status !== 'ACTIVE' && now?.status !== 'DISABLED') {
    throw new StartupError(
      `The target has lost the tenant (${now?.status ?? 'it does not exist'}). Was its database restored?`,
    );
  }
}

/** The source keeps client ids, sealed secrets and the address. The purge deletes everything else. */
export async function leave(source: Place, { id, to }: Required<Pick<Move, 'id' | 'to'>>): Promise<void> {
  const { tenantId, asTenant } = source;
  await asTenant(async (tx) => {
    const moved = await tx.execute(sql`
      update tenants set status = 'MOVED', updated_at = now(), deletion = ${newDeletion},
        move = jsonb_build_object('id', move -> 'id', 'to', move -> 'to', 'step', 'MOVED', 'moved_at', ${now})
      where tenant_id = ${tenantId} and status = 'MOVING' and move ->> 'id' = ${id} and move ->> 'step' = 'SWITCHING'`);
    if (moved.count === 0) return;
    await tx
      .update(credentials)
      .set({
        name: sql`client_id`,
        requestsPerMinute: null,
        lastUsedAt: null,
        secretLastUsedAt: null,
        previousSecretLastUsedAt: null,
      })
      .where(sql`tenant_id = ${tenantId}`);
    await note(tx, tenantId, 'leave', { id, to });
  });
}

/** The purge of the target deletes what was copied. */
export const giveBack = ({ tenantId, asTenant }: Place, id: string) =>
  asTenant((tx) =>
    tx.execute(sql`
      update tenants set status = case when move ? 'to' then 'MOVED' else 'DELETING' end, deletion = ${newDeletion},
        updated_at = now(), move = move || jsonb_build_object('step', case when move ? 'to' then 'MOVED' else 'UNDOING' end)
      where tenant_id = ${tenantId} and status = 'MOVING' and move ->> 'id' = ${id}`),
  );

/** Opens the source again. */
export const reopen = ({ tenantId, asTenant }: Place, id: string) =>
  asTenant(async (tx) => {
    const { count } = await tx.execute(sql`
      update tenants set status = move ->> 'status', move = null, updated_at = now()
      where tenant_id = ${tenantId} and status = 'MOVING' and move ->> 'id' = ${id} and move ->> 'step' = 'UNDOING'`);
    if (count > 0) await note(tx, tenantId, 'undo', { id });
  });
