import { errors } from '@tenant-open-platform/contract';
import { and, eq, getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type PgColumn, type PgTable, type PgUpdateSetSource } from 'drizzle-orm/pg-core';
import type { Transaction } from '../foundation/database/database.js';
import { newId } from '../foundation/ids.js';
import { tenants } from '../foundation/tables.js';
import type { Call, CallOf } from '../gateway/operation/call.js';

type Columns<Table extends PgTable> = Table['_']['columns'];
type Row<Table extends PgTable> = Table['$inferSelect'];
type Bytes<Table extends PgTable> = {
  [Key in keyof Row<Table>]: Buffer extends Row<Table>[Key] ? Key : never;
}[keyof Row<Table>];
type Shown<Table extends PgTable, LeftOut> = Exclude<keyof Row<Table> & keyof Columns<Table>, Bytes<Table> | LeftOut>;
type ShownValue<Value> = Value extends Date ? string : Value;

type Fields<Table extends PgTable, LeftOut> = {
  [Key in Shown<Table, LeftOut> as Columns<Table>[Key]['_']['name']]: ShownValue<Row<Table>[Key]>;
};

/** Presents rows: each column by its name, except those left out and bytes, which are sealed secrets and hashes. */
export function presenter<Table extends PgTable, LeftOut extends keyof Row<Table> = never>(
  table: Table,
  ...leftOut: LeftOut[]
) {
  const shown = Object.entries(getTableColumns(table as PgTable)).filter(
    ([key, column]) => column.getSQLType() !== 'bytea' && !leftOut.includes(key as LeftOut),
  );
  return (row: Pick<Row<Table>, Shown<Table, LeftOut>>, { requestId }: Pick<Call, 'requestId'>) => {
    const values = row as Record<string, unknown>;
    const fields = shown.map(([key, { name }]) => [name, inJson(values[key])]);
    return { ...(Object.fromEntries(fields) as Fields<Table, LeftOut>), request_id: requestId };
  };
}

const inJson = (value: unknown) => (value instanceof Date ? value.toISOString() : value);

/** The instant at which a previous secret expires; null once it has. */
export const stillAhead = (end: Date | null, { admittedAt }: Pick<Call, 'admittedAt'>) =>
  end && end > admittedAt ? end.toISOString() : null;

/** The key of the column with this name. */
type KeyOf<Table extends PgTable, Name> = {
  [Key in keyof Columns<Table>]: Columns<Table>[Key]['_']['name'] extends Name ? Key : never;
}[keyof Columns<Table>];

type Stored<Value, Given> = Given extends string ? (Date extends Value ? Date : Given) : Given;

type FromBody<Table extends PgTable, Body> = {
  [Name in keyof Body as Exclude<KeyOf<Table, Name>, 'tenantId'>]: Stored<
    Table['$inferSelect'][KeyOf<Table, Name> & keyof Table['$inferSelect']],
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
export type Params = Record<string, string>;

/** The columns of the primary key after the tenant. */
export function keyColumns(table: PgTable): PgColumn[] {
  const { primaryKeys, columns } = getTableConfig(table);
  const names = primaryKeys[0]?.columns.slice(1).map(({ name }) => name) ?? [];
  return names.flatMap((name) => columns.find((column) => column.name === name) ?? []);
}

/** The row of the call's tenant with this key, by the names of its columns. Path parameters have the same names. */
export function ownRow(table: TenantTable, { tenantId }: Pick<Call, 'tenantId'>, key: Params): SQL | undefined {
  const isKey = keyColumns(table).map((column) => {
    const value = key[column.name];
    if (value === undefined) throw new Error(`The key lacks ${column.name}.`);
    return eq(column, value);
  });
  return and(eq(table.tenantId, tenantId), ...isKey);
}

/** Reads a row, or refuses. A lock lasts until the transaction ends. */
export async function readRow<Table extends PgTable>(
  tx: Transaction,
  { refuse }: Refusing,
  table: Table,
  where: SQL | undefined,
  lock?: Lock,
): Promise<Row<Table>> {
  const from: PgTable = table;
  const query = tx.select().from(from).where(where);
  const [row] = await (lock ? query.for(lock) : query);
  if (!row) throw refuse('NOT_FOUND');
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
  table: Table,
  where: SQL | undefined,
  values: PgUpdateSetSource<Table>,
): Promise<Row<Table>> {
  const changed: PgTable = table;
  const columns = { ...values, updatedAt: sql`now()` };
  const [row] = await tx.update(changed).set(columns).where(where).returning();
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

/**
 * Refuses to create a row if the tenant has reached the limit, or the platform for a table that belongs to no tenant:
 * only tenant `platform` creates such rows. Rows of every status count.
 * Locks the tenant's row, so that creations in one tenant wait for each other and the count stays valid until the
 * commit.
 * Call this before any other row is locked: changes of platform administrators also lock the tenant's row first, and
 * transactions that lock in the same order never deadlock.
 */
export async function refuseBeyondLimit(
  tx: Transaction,
  call: CallOf<'RESOURCE_LIMIT_REACHED'>,
  table: PgTable & { tenantId?: PgColumn },
  limit: number,
  counted: SQL | undefined = table.tenantId && eq(table.tenantId, call.tenantId),
): Promise<void> {
  await tx.select().from(tenants).where(eq(tenants.tenantId, call.tenantId)).for('no key update');
  // A separate statement, so its snapshot includes the commits that the lock waited for. It reads at most `limit` rows.
  const full = await tx
    .select({ one: sql`1` })
    .from(table as PgTable)
    .where(counted)
    .limit(1)
    .offset(limit - 1);
  if (full.length === 0) return;
  const resource = getTableName(table);
  throw call.refuse('RESOURCE_LIMIT_REACHED', {
    message: `The limit of ${limit} ${resource.replaceAll('_', ' ')} is reached. Each one counts, whatever its status. ${errors.RESOURCE_LIMIT_REACHED.fix}`,
    metadata: { resource, limit },
  });
}
