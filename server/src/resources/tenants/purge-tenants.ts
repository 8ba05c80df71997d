import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { getTableName, sql } from 'drizzle-orm';
import type { Transaction } from '../../foundation/database/database.js';
import { listed } from '../../foundation/database/pages.js';
import type { Now } from '../../foundation/database/steady-clock.js';
import { busPrincipals, type Deletion } from '../../foundation/tables.js';
import type { Bus } from '../../pipeline/bus/bus.js';
import type { Owned } from '../../pipeline/slots/steps.js';
import { parkedMessages } from '../../pipeline/tables.js';
import { keyColumns, type TenantTable } from '../rows.js';
import { isInTenantAfter, tenantTables, valuesOf } from './tenant-tables.js';

/** One transaction deletes at most this many rows, so it holds their locks for some milliseconds. */
const BATCH = 1_000;

/** For each credential that is deleted, Postgres looks for a command that refers to it. */
const BATCH_OF_CREDENTIALS = 20;

type Tenant = { tenant_id: string; status: 'DELETING' | 'MOVED'; deletion: Required<Deletion> };

const nowInJson = sql`to_char(now()::timestamptz(3) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const newPass = sql`jsonb_build_object(
  'step', 0, 'after', null, 'rows_in_pass', 0, 'transaction', pg_current_xact_id()::text, 'since', now()
)`;

/** What the deletion of a tenant begins with. */
export const newDeletion = sql<Deletion>`jsonb_build_object(
  'requested_at', ${nowInJson}, 'rows_deleted', 0, 'finished_at', null, 'work', ${newPass}
)`;

/** `after` is the position of the next batch; null after the last one. */
type Batch = { removed: number; after: string[] | null };
type DeleteBatch = (tx: Transaction, tenantId: string, after: string[] | null) => Promise<Batch>;
type Step = { table: string; deleteBatch: DeleteBatch };

const steps: readonly Step[] = [
  { table: 'nonces', deleteBatch: deleteNonces },
  { table: 'taken_names', deleteBatch: deleteBusKeys },
  ...tenantTables.map((table) => ({ table: getTableName(table), deleteBatch: deleteRowsOf(table) })),
  { table: 'parked_messages', deleteBatch: deleteEarlyParkedMessages },
  { table: 'audit_events', deleteBatch: deleteCreationEntry },
];

/**
 * `emptied`: the tenant of which the last pass found nothing. Without more to do, no tenant can be deleted now. `isIdle`:
 * because none is to be deleted.
 */
type Round = { hasMore: boolean; removed: number; isIdle?: true; table?: string; emptied?: Tenant };

/**
 * Of a tenant that moved away, what reached TOP_UPDATES is parked, and its CLIENT principals may still read the events
 * that they have not read, until NATS deletes them after a week.
 */
const STREAMS_OF_MOVED = ['TOP_COMMANDS', 'TOP_REPLIES'] as const;

/**
 * Deletes everything of DELETING tenants, one batch in each round, and of tenants that have moved away everything but
 * their credentials, which answer where the tenant is. The row of the tenant holds the position and is
 * locked during a round. A crash loses nothing but the batch under way.
 *
 * A transaction that began before the deletion may still write a row into a table that was emptied already. So passes
 * over all tables go on until one of them finds nothing, and each begins when all earlier transactions have ended.
 */
export async function purgeTenants({ transaction }: Pick<Owned, 'transaction'>, bus: Bus, now: Now): Promise<Round> {
  const round = await transaction((tx) => work(tx, now()));
  const { emptied } = round;
  if (emptied !== undefined) {
    const { tenant_id, status } = emptied;
    const inPass = sql`select from tenants where ${isSamePass(emptied)}`;
    const isDue = () => transaction(async (tx) => (await tx.execute(inPass)).length > 0);
    await bus.forgetTenant(tenant_id, { isDue, only: status === 'MOVED' ? STREAMS_OF_MOVED : undefined });
    await transaction((tx) => finish(tx, emptied));
  }
  return round;
}

async function work(tx: Transaction, now: string): Promise<Round> {
  const tenant = await lockNext(tx, now);
  if (!tenant) {
    const deleting = await tx.execute(sql`select from tenants where deletion -> 'work' is not null limit 1`);
    return { hasMore: false, removed: 0, ...(deleting.length === 0 && { isIdle: true }) };
  }
  const { step: number, rows_in_pass } = tenant.deletion.work;
  const step = steps[number];
  if (step) return deleteOnce(tx, tenant, step);
  if (rows_in_pass === 0) return { hasMore: true, removed: 0, emptied: tenant };
  await tx.execute(sql`
    update tenants set deletion = deletion || jsonb_build_object('work', ${newPass}) where tenant_id = ${tenant.tenant_id}`);
  return { hasMore: true, removed: 0 };
}

/** Transactions of the platform end within seconds. A restored dump may hold a number that is far ahead. */
const LONGEST_WAIT = '1 minute';

async function lockNext(tx: Transaction, now: string): Promise<Tenant | undefined> {
  const [tenant] = await tx.execute<Tenant>(sql`
    select tenant_id, status, deletion from tenants
    where deletion -> 'work' is not null and (
      pg_snapshot_xmin(pg_current_snapshot()) > (deletion #>> '{work,transaction}')::xid8
      or (deletion #>> '{work,since}')::timestamptz < least(now(), ${now}::timestamptz) - ${LONGEST_WAIT}::interval
    )
    order by tenant_id limit 1
    for no key update skip locked`);
  return tenant;
}

async function deleteOnce(tx: Transaction, { tenant_id, status, deletion }: Tenant, step: Step): Promise<Round> {
  const { work } = deletion;
  const isKept = status === 'MOVED' && step.table === 'credentials';
  const { removed, after } = isKept ? { removed: 0, after: null } : await step.deleteBatch(tx, tenant_id, work.after);
  const saved: Deletion = {
    ...deletion,
    rows_deleted: deletion.rows_deleted + removed,
    work: { ...work, step: work.step + (after === null ? 1 : 0), after, rows_in_pass: work.rows_in_pass + removed },
  };
  await tx.execute(
    sql`update tenants set deletion = ${JSON.stringify(saved)}::text::jsonb where tenant_id = ${tenant_id}`,
  );
  return { hasMore: true, table: step.table, removed };
}

/** The tenant may have come back since, and even have left again: then another pass is under way, or none. */
const isSamePass = ({ tenant_id, status, deletion }: Tenant) => sql`
  tenant_id = ${tenant_id} and status = ${status}
  and deletion #>> '{work,transaction}' = ${deletion.work.transaction}`;

/** What is left: the id, instants and numbers. */
const finish = (tx: Transaction, tenant: Tenant) =>
  tx.execute(sql`
    update tenants set status = case status when 'DELETING' then 'DELETED' else status end, name = tenant_id, vendors = null, adapter_reads = null, updated_at = now(),
      deletion = deletion - 'work' || jsonb_build_object('finished_at', ${nowInJson})
    where ${isSamePass(tenant)}`);

/** Walks through the primary key and remembers the position: a scan from the start would read all deleted rows again. */
function deleteRowsOf(table: TenantTable, filter = sql`true`): DeleteBatch {
  const key = keyColumns(table);
  const batch = getTableName(table) === 'credentials' ? BATCH_OF_CREDENTIALS : BATCH;
  const texts = listed(key.map((column) => sql`${column}::text`));
  return async (tx, tenantId, after) => {
    const range = isInTenantAfter(table, tenantId, after);
    const [last] = await tx.execute<{ key: string[] }>(sql`
      select json_build_array(${texts}) as key from ${table} where ${range} order by ${listed(key)} limit 1 offset ${batch - 1}`);
    const upTo = last ? sql`${range} and (${listed(key)}) <= (${valuesOf(table, last.key)})` : range;
    const { count } = await tx.execute(sql`delete from ${table} where ${upTo} and ${filter}`);
    return { removed: count, after: last?.key ?? null };
  };
}

/** Nonces belong to the numbers of credentials. */
async function deleteNonces(tx: Transaction, tenantId: string): Promise<Batch> {
  const { count } = await tx.execute(sql`
    delete from nonces where ctid = any (array(
      select nonce.ctid from credentials
      cross join lateral (
        select ctid from nonces where credential_number = credentials.number limit ${BATCH} offset 0
      ) as nonce
      where credentials.tenant_id = ${tenantId}
      limit ${BATCH}
    ))`);
  return { removed: count, after: count === BATCH ? [] : null };
}

/** The keys of principals become free again. Ids of credentials stay taken. */
async function deleteBusKeys(tx: Transaction, tenantId: string, after: string[] | null): Promise<Batch> {
  const found = await tx.execute<{ id: string; account: string; user: string }>(sql`
    select principal_id as id, bus_account_public_key as account, bus_user_public_key as user from bus_principals
    where ${isInTenantAfter(busPrincipals, tenantId, after)} order by principal_id limit ${BATCH}`);
  const deleteNames = async (kind: string, names: string[]) => {
    const given = sql`array(select json_array_elements_text(${JSON.stringify(names)}::text::json))`;
    return (await tx.execute(sql`delete from taken_names where kind = ${kind} and name = any (${given})`)).count;
  };
  const accounts = await deleteNames('BUS_ACCOUNT_KEY', [...new Set(found.map(({ account }) => account))]);
  const userKeys = found.map(({ user }) => user);
  const users = await deleteNames('BUS_USER_KEY', userKeys);
  const last = found.length === BATCH ? found.at(-1) : undefined;
  return { removed: accounts + users, after: last ? [last.id] : null };
}

/** Messages that were parked for tenant `platform`, because the tenant did not exist yet. */
function deleteEarlyParkedMessages(tx: Transaction, tenantId: string, after: string[] | null): Promise<Batch> {
  // What reaches the bus after a move is parked here for an administrator of the platform.
  const isDue = sql`starts_with(subject, ${`tenants.${tenantId}.`}) and parked_at < (
    select case status when 'MOVED' then (move ->> 'moved_at')::timestamptz else 'infinity' end
    from tenants where tenant_id = ${tenantId}
  )`;
  return deleteRowsOf(parkedMessages, isDue)(tx, PLATFORM_TENANT_ID, after);
}

/** The entry of tenants.create in the log of tenant `platform` has the name of the tenant. */
async function deleteCreationEntry(tx: Transaction, tenantId: string): Promise<Batch> {
  const { count } = await tx.execute(sql`
    delete from audit_events where tenant_id = ${PLATFORM_TENANT_ID} and target = ${`platform/tenants/${tenantId}`}
      and operation = 'tenants.create'`);
  return { removed: count, after: null };
}
