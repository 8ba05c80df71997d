import { createHash } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../../foundation/database/database.js';
import { enterTenant } from '../../foundation/database/row-level-security.js';
import { topics } from '../../foundation/signals/signals.js';
import { StartupError } from '../../foundation/startup-error.js';
import { type Move, tenants } from '../../foundation/tables.js';
import { type Facts, insertAuditEvent } from '../../gateway/audit/audit.js';
import { newDeletion } from '../../resources/tenants/purge-tenants.js';
import { CONTINUE, type Place } from './place.js';

/** Containers run with user ids that have no name. */
export function operatorOf(read = userInfo): string {
  try {
    return `${read().username}@${hostname()}`;
  } catch {
    return `uid ${process.getuid?.()}@${hostname()}`;
  }
}

const operator = operatorOf();

type Noted = { id: string; to?: string; from?: string };

/**
 * Notes a step of the move: in the log of the tenant with the address of its clients, and in the log of tenant
 * `platform` with what only the operator may see. The transaction works for tenant `platform` afterwards.
 */
async function note(tx: Transaction, tenantId: string, step: string, { id, from, ...known }: Noted): Promise<void> {
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
  // At the end of a move the tenant's own log is deleted in the source.
  if (step !== 'leave') await noteIn(tenantId, known);
  await enterTenant(tx, PLATFORM_TENANT_ID);
  await noteIn(PLATFORM_TENANT_ID, { ...known, ...(from && { from }), operator });
}

export type TenantRow = typeof tenants.$inferSelect;

export async function readTenant({ asTenant, tenantId }: Place): Promise<TenantRow | undefined> {
  const [row] = await asTenant((tx) => tx.select().from(tenants).where(sql`tenant_id = ${tenantId}`));
  return row;
}

const now = sql`to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const asJson = (move: Partial<Move>) => sql`${JSON.stringify(move)}::text::jsonb`;

/** Changes the tenant's row where this holds, and then does the rest. Returns whether it does. */
const change = (
  { tenantId, asTenant }: Place,
  where: SQL,
  set: SQL,
  rest?: (tx: Transaction) => Promise<unknown>,
): Promise<boolean> =>
  asTenant(async (tx) => {
    const { count } = await tx.execute(sql`update tenants set ${set} where tenant_id = ${tenantId} and ${where}`);
    if (count > 0) await rest?.(tx);
    return count > 0;
  });

/** While a move is at one of these steps. Another command, which was frozen meanwhile, finds another step. */
const isAt = (id: string, ...steps: Move['step'][]) =>
  sql`tenants.status = 'MOVING' and tenants.move ->> 'id' = ${id} and tenants.move ->> 'step' = any (string_to_array(${steps.join()}, ','))`;

/** Closes the source: from here on no request of the tenant is admitted. */
export async function close(source: Place, { id, to, status }: Required<Pick<Move, 'id' | 'to' | 'status'>>) {
  const isClosed = await change(
    source,
    sql`status = ${status}`,
    sql`status = 'MOVING', updated_at = now(),
      move = ${asJson({ id, to, status, step: 'CLOSING' })} || jsonb_build_object('closed_at', ${now})`,
    (tx) => note(tx, source.tenantId, 'begin', { id, to }),
  );
  if (!isClosed)
    throw new StartupError(`The status of ${source.tenantId} has just changed. Run the same command again.`);
}

/** The generation of the database, and the start of its Postgres: what was read before another one counts for nothing. */
const historyOf = sql`(
  select id || ' ' || extract(epoch from started_at) from database_generations where shared_until is null
)`;

export async function readHistory(place: Place): Promise<string> {
  const [row] = await place.read<{ history: string }>(sql`select ${historyOf} as history`);
  return row?.history ?? '';
}

/** Takes the move from one of these steps to the next one. Only one command gets there, with the history that it has read. */
export async function advance(
  source: Place,
  id: string,
  from: Move['step'][],
  to: Partial<Move>,
  history?: string,
): Promise<void> {
  const isSame = history === undefined ? sql`true` : sql`${historyOf} = ${history}`;
  if (!(await change(source, sql`${isAt(id, ...from)} and ${isSame}`, sql`move = move || ${asJson(to)}`)))
    throw new StartupError(
      'Another command has taken over this move, or the database was restarted. Run the same command again.',
    );
}

/** The last number of the event log of the source. */
export async function readLogEnd(source: Place): Promise<string> {
  const [end] = await source.readAsSystem<{ seq: string }>(sql`select log_end_v1()::text as seq`);
  return end?.seq ?? '0';
}

/** Which platform a tenant arrives from: its reservation may outlive the command. */
export const originOf = ({ keyring }: Place) =>
  createHash('sha256').update(keyring.cursorKey).digest('hex').slice(0, 32);

/** What the target keeps of a move until it is open: it has been reserved, and may have rows. */
export type Reservation = Required<Pick<Move, 'id' | 'shift'>>;

export async function readReservation(target: Place, source: Place): Promise<Reservation | null> {
  const there = await readTenant(target);
  const { id, step, shift, from } = there?.move ?? {};
  if (there?.status !== 'MOVING' || step !== 'ARRIVING' || from !== originOf(source)) return null;
  return id && shift ? { id, shift } : null;
}

/** Makes the tenant in the target, where it is closed, with its names. What it left there before is replaced. */
export async function reserve(
  { tenantId, asTenant }: Place,
  { name, vendors, requestsPerMinute, createdAt, ...tenant }: TenantRow,
  { id, shift, from }: Reservation & { from: string },
  names: { kind: string; name: string }[],
): Promise<void> {
  const status = tenant.move?.status ?? (tenant.status === 'DISABLED' ? 'DISABLED' : 'ACTIVE');
  const arriving: Move = { id, step: 'ARRIVING', shift, from, status };
  const given = { name, status: 'MOVING' as const, vendors, requestsPerMinute, createdAt, move: arriving };
  await asTenant(async (tx) => {
    await tx
      .insert(tenants)
      .values({ tenantId, ...given })
      .onConflictDoUpdate({
        target: tenants.tenantId,
        // `to` stays: if the move is undone, the tenant is where it was.
        set: {
          ...given,
          move: sql`coalesce(tenants.move, '{}') || excluded.move`,
          deletion: null,
          updatedAt: sql`now()`,
        },
        setWhere: sql`(tenants.status in ('MOVED', 'DELETED') and tenants.deletion ->> 'finished_at' is not null)
          or (${isAt(id, 'ARRIVING')})`,
      });
    if (names.length === 0) return;
    await tx.execute(sql`
      insert into taken_names (kind, name, tenant_id)
      select kind, name, ${tenantId}::text
      from json_to_recordset(${JSON.stringify(names)}::text::json) as given (kind text, name text)
      on conflict do nothing`);
  });
}

/** Whether this move has opened the target, whatever became of the source, and of the tenant and its own log since. */
export const hasArrived = (target: Place, id: string): Promise<boolean> =>
  target.asTenant(async (tx) => {
    await enterTenant(tx, PLATFORM_TENANT_ID);
    const found = await tx.execute(sql`
      select from audit_events where tenant_id = ${PLATFORM_TENANT_ID} and operation = 'moveTenant.arrive'
        and target = ${`platform/tenants/${target.tenantId}`} and request_id = ${id} limit 1`);
    return found.length > 0;
  });

type Opening = Required<Pick<Move, 'id' | 'status' | 'to'>> & { from: string; history: string };

/** Opens the target, if its database still is the one that was verified. */
export async function open(target: Place, { id, status, from, to, history }: Opening): Promise<void> {
  const isOpen = await change(
    target,
    sql`${isAt(id, 'ARRIVING')} and ${historyOf} = ${history}`,
    sql`status = ${status}, move = null, deletion = null, updated_at = now()`,
    (tx) => note(tx, target.tenantId, 'arrive', { id, from, to }),
  );
  if (!isOpen) throw new StartupError(`The database of the target was restarted or restored meanwhile. ${CONTINUE}`);
}

/** The source keeps client ids, sealed secrets and the address. The purge deletes everything else. */
export async function leave(source: Place, { id, to }: Required<Pick<Move, 'id' | 'to'>>): Promise<void> {
  const { tenantId } = source;
  await change(
    source,
    // The source may have been restored to any of them.
    isAt(id, 'CLOSING', 'COPYING', 'SWITCHING', 'UNDOING'),
    sql`status = 'MOVED', updated_at = now(), deletion = ${newDeletion},
      move = jsonb_build_object('id', move -> 'id', 'to', move -> 'to', 'step', 'MOVED', 'moved_at', ${now})`,
    async (tx) => {
      await tx.execute(sql`
        update credentials set name = client_id, requests_per_minute = null, last_used_at = null,
          secret_last_used_at = null, previous_secret_last_used_at = null
        where tenant_id = ${tenantId}`);
      await note(tx, tenantId, 'leave', { id, to });
    },
  );
  await source.notify(topics.deletion);
}

/** Lets the purge of the target delete what was copied. Returns false if there is no such move. */
export async function giveBack(target: Place, id: string): Promise<boolean> {
  const isGiven = await change(
    target,
    isAt(id, 'ARRIVING'),
    sql`status = case when move ? 'to' then 'MOVED' else 'DELETING' end, deletion = ${newDeletion}, updated_at = now(),
      move = move || jsonb_build_object('step', case when move ? 'to' then 'MOVED' else 'UNDOING' end)`,
  );
  await target.notify(topics.deletion);
  return isGiven;
}

/** Opens the source again. */
export const reopen = (source: Place, id: string): Promise<boolean> =>
  change(source, isAt(id, 'UNDOING'), sql`status = move ->> 'status', move = null, updated_at = now()`, (tx) =>
    note(tx, source.tenantId, 'undo', { id }),
  );
