import { type contract, errors } from '@tenant-open-platform/contract';
import { and, eq, getTableColumns, getTableName, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { getTableConfig, type PgColumn, type PgTable, type PgUpdateSetSource } from 'drizzle-orm/pg-core';
import type { z } from 'zod';
import type { Transaction } from '../foundation/database/database.js';
import { newId } from '../foundation/ids.js';
import { tenants } from '../foundation/tables.js';
import type { Call, CallOf } from '../gateway/operation/call.js';

type Columns<Table extends PgTable> = Table['_']['columns'];
type Row<Table extends PgTable> = Table['$inferSelect'];

/** The keys of the columns with these names. */
type KeyOf<Table extends PgTable, Name> = {
  [Key in keyof Columns<Table> & keyof Row<Table>]: Columns<Table>[Key]['_']['name'] extends Name ? Key : never;
}[keyof Columns<Table> & keyof Row<Table>];

type InJson<Value> = Value extends Date ? string : Value;
type Shown<Table extends PgTable, Fields> = {
  [Key in KeyOf<Table, keyof Fields> as Columns<Table>[Key]['_']['name']]: InJson<Row<Table>[Key]>;
};

/** Presents rows as an answer of the contract. A column that has no field in it is neither answered nor audited. */
export function presenter<Table extends PgTable, Fields extends object>(table: Table, answer: { shape: Fields }) {
  const columns = Object.entries(getTableColumns(table as PgTable));
  const shown = columns.filter(([, { name }]) => Object.hasOwn(answer.shape, name));
  return (row: Pick<Row<Table>, KeyOf<Table, keyof Fields>>, { requestId }: Pick<Call, 'requestId'>) => {
    const fields = shown.map(([key, { name }]) => [name, inJson((row as Row<Table>)[key])]);
    return { ...(Object.fromEntries(fields) as Shown<Table, Fields>), request_id: requestId };
  };
}

export const inJson = (value: unknown) =>
  value instanceof Date ? value.toISOString() : Buffer.isBuffer(value) ? value.toString('base64') : value;

/** The instant at which a previous secret expires; null once it has. */
export const stillAhead = (end: Date | null, { admittedAt }: Pick<Call, 'admittedAt'>) =>
  end && end > admittedAt ? end.toISOString() : null;

/** A rotated secret expires with the commit, or after this time, but never after `end`. */
export const previousSecret = (sealed: Buffer, seconds: number, end: SQLWrapper = sql`null`) => ({
  previousSecretSealed: seconds > 0 ? sealed : null,
  previousSecretExpiresAt: seconds > 0 ? sql`least(now() + make_interval(secs => ${seconds}), ${end})` : null,
});

type Stored<Value, Given> = Given extends string ? (Date extends Value ? Date : Given) : Given;

type FromBody<Table extends PgTable, Body> = {
  [Name in keyof Body as Exclude<KeyOf<Table, Name>, 'tenantId'>]: Stored<
    Row<Table>[KeyOf<Table, Name>],
    Exclude<Body[Name], undefined>
  >;
};

/** What a validated body stores: each field in the column of its name. The tenant never comes from a body. */
export function columnsOf<Table extends PgTable, Body extends object>(table: Table, body: Body): FromBody<Table, Body> {
  const given = new Map(Object.entries(body));
  const stored = Object.entries(getTableColumns(table as PgTable)).flatMap(([key, { name, dataType }]) => {
    const value = given.get(name);
    if (value === undefined || key === 'tenantId') return [];
    return [[key, dataType === 'date' && typeof value === 'string' ? new Date(value) : value]];
  });
  return Object.fromEntries(stored);
}

/** The refusal of a row that does not exist. */
type Refusing = Pick<CallOf<'NOT_FOUND'>, 'refuse'>;

/** `update` to delete the row, `no key update` to change it, the others to keep it while another row comes to refer to it. */
type Lock = 'update' | 'no key update' | 'share' | 'key share';

export type TenantTable = PgTable & { tenantId: PgColumn };
type MaybeTenantTable = PgTable & { tenantId?: PgColumn };
export type Params = Record<string, string>;

/** The columns of the primary key, without the tenant. */
export function keyColumns(table: PgTable): PgColumn[] {
  const { primaryKeys, columns } = getTableConfig(table);
  const names = primaryKeys[0]?.columns.map(({ name }) => name);
  const key = names?.flatMap((name) => columns.find((column) => column.name === name) ?? []);
  return (key ?? columns.filter(({ primary }) => primary)).filter(({ name }) => name !== 'tenant_id');
}

/**
 * The row with this key, by the names of its columns: in a table with rows of tenants, that of the call's tenant. Path
 * parameters have the same names.
 */
export function ownRow(table: MaybeTenantTable, { tenantId }: Pick<Call, 'tenantId'>, key: Params): SQL | undefined {
  const isKey = keyColumns(table).map((column) => {
    const value = key[column.name];
    if (value === undefined) throw new Error(`The key lacks ${column.name}.`);
    return eq(column, value);
  });
  return and(table.tenantId && eq(table.tenantId, tenantId), ...isKey);
}

/** Reads the row with this key, or refuses. A lock lasts until the transaction ends. */
export async function readRow<Table extends PgTable>(
  tx: Transaction,
  call: Refusing & Pick<Call, 'tenantId'>,
  table: Table,
  key: Params,
  lock?: Lock,
): Promise<Row<Table>> {
  const from: PgTable = table;
  const isThis = ownRow(table, call, key);
  const query = tx.select().from(from).where(isThis);
  const [row] = await (lock ? query.for(lock) : query);
  if (!row) throw call.refuse('NOT_FOUND');
  return row;
}

/** Of the instant of admission: with it as created_at, the order of ids is the order of creation. */
export const newIdOf = ({ admittedAt }: Pick<Call, 'admittedAt'>) => newId(admittedAt.getTime());

export async function insertRow<Table extends PgTable>(
  tx: Transaction,
  table: Table,
  values: Table['$inferInsert'],
): Promise<Row<Table>> {
  const [row] = await tx.insert(table).values(values).returning();
  return row as Row<Table>;
}

/** Changes a row that the transaction has locked, and its updated_at. A value that is undefined stays. */
export async function updateRow<Table extends PgTable & { updatedAt: PgColumn }>(
  tx: Transaction,
  call: Pick<Call, 'tenantId'>,
  table: Table,
  key: Params,
  values: PgUpdateSetSource<Table>,
): Promise<Row<Table>> {
  const changed: PgTable = table;
  const columns = { ...values, updatedAt: sql`now()` };
  const [row] = await tx
    .update(changed)
    .set(columns)
    .where(ownRow(table, call, key))
    .returning();
  if (!row) throw new Error('The row that was locked is gone.');
  return row;
}

export async function deleteRow<Table extends PgTable>(
  tx: Transaction,
  { refuse }: Refusing,
  table: Table,
  where: SQL | undefined,
): Promise<Row<Table>> {
  const [row] = await tx.delete(table).where(where).returning();
  if (!row) throw refuse('NOT_FOUND');
  return row as Row<Table>;
}

type LimitsOfTenant = z.infer<(typeof contract.me.get.responses)[200]>['limits']['per_tenant'];

/** How many rows of a table a tenant may have, or the platform. */
export type Limits = LimitsOfTenant & Record<'tenants' | 'vendors' | 'command_types', number>;

/** Until the commit. Creations in one tenant wait for each other, so that their count stays valid. */
export const lockTenant = (tx: Transaction, { tenantId }: Pick<Call, 'tenantId'>) =>
  tx.select().from(tenants).where(eq(tenants.tenantId, tenantId)).for('no key update');

/**
 * Refuses to create a row if the tenant has reached the limit, or the platform for a table that belongs to no tenant:
 * only tenant `platform` creates such rows. Rows of every status count.
 * Call this before any other row is locked: changes of platform administrators also lock the tenant's row first, and
 * transactions that lock in the same order never deadlock.
 */
export async function refuseBeyondLimit(
  tx: Transaction,
  call: CallOf<'RESOURCE_LIMIT_REACHED'>,
  table: MaybeTenantTable & { _: { name: keyof Limits } },
  limits: Limits,
  counted: SQL | undefined = table.tenantId && eq(table.tenantId, call.tenantId),
): Promise<void> {
  await lockTenant(tx, call);
  const resource = getTableName(table);
  const limit = limits[resource];
  // A separate statement, so its snapshot includes the commits that the lock waited for. It reads at most `limit` rows.
  const full = await tx
    .select({ one: sql`1` })
    .from(table as PgTable)
    .where(counted)
    .limit(1)
    .offset(limit - 1);
  if (full.length === 0) return;
  throw call.refuse('RESOURCE_LIMIT_REACHED', {
    message: `The limit of ${limit} ${resource.replaceAll('_', ' ')} is reached. Each one counts, whatever its status. ${errors.RESOURCE_LIMIT_REACHED.fix}`,
    metadata: { resource, limit },
  });
}
