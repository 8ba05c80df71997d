import { and, asc, eq, getTableColumns, getTableName, gt, type SQL } from 'drizzle-orm';
import type { PgColumn, PgTable, PgUpdateSetSource } from 'drizzle-orm/pg-core';
import type { Database, Transaction } from '../database/database.js';
import { asTenant } from '../database/row-level-security.js';
import { type Keyring, keyIdOf } from './keyring.js';

type Row = Record<string, unknown>;

/** A row and its secrets that are not null. */
export type SealedRow = {
  table: string;
  id: string;
  keyIds: string[];
  /** Why a secret of the row does not open: it is damaged, or the keyring lacks its key. Null: all do. */
  problem(keyring: Keyring): string | null;
  /** Seals again, with the primary key, what another key has sealed. False: the row was changed at the same time. */
  rewrap(tx: Transaction, keyring: Keyring): Promise<boolean>;
};

const ROWS_AT_ONCE = 100;

type TenantTable = PgTable & { tenantId: PgColumn };

type Description<Table extends TenantTable> = {
  /** The column that, with the tenant, names a row. */
  id: keyof Table['$inferSelect'] & string;
  /** The columns with secrets: the column, and the identity that a secret of the row is sealed for. */
  secrets: { [Column in keyof Table['$inferSelect'] & string]?: (row: Table['$inferSelect']) => string };
};

/** The rows of a tenant that hold sealed secrets, in the order of their ids. */
export function sealedTable<Table extends TenantTable>(table: Table, { id, secrets }: Description<Table>) {
  const columns = getTableColumns(table as PgTable);
  const idColumn = columns[id] as PgColumn;
  const owners = Object.entries(secrets) as [column: string, ownerOf: (row: Row) => string][];
  const sealedIn = (row: Row) =>
    owners.flatMap(([column, ownerOf]) => {
      const sealed = row[column];
      return sealed instanceof Uint8Array ? [{ column, sealed: Buffer.from(sealed), owner: ownerOf(row) }] : [];
    });
  async function* rowsOf(database: Database, tenant: string): AsyncGenerator<SealedRow> {
    for (let after: Row | undefined; ; ) {
      const isAfter = after && gt(idColumn, after[id]);
      const rows: Row[] = await asTenant(database, tenant, (tx) =>
        tx
          .select()
          .from(table as PgTable)
          .where(and(eq(table.tenantId, tenant), isAfter))
          .orderBy(asc(idColumn))
          .limit(ROWS_AT_ONCE),
      );
      yield* rows.map(
        (row): SealedRow => ({
          table: getTableName(table),
          id: String(row[id]),
          keyIds: sealedIn(row).map(({ sealed }) => keyIdOf(sealed)),
          problem(keyring) {
            try {
              for (const { sealed, owner } of sealedIn(row)) keyring.open(sealed, owner);
              return null;
            } catch (error) {
              return (error as Error).message;
            }
          },
          async rewrap(tx, keyring) {
            const old = sealedIn(row).filter(({ sealed }) => keyIdOf(sealed) !== keyring.primary);
            const sealAgain = ({ column, sealed, owner }: (typeof old)[number]) =>
              [column, keyring.seal(keyring.open(sealed, owner), owner)] as const;
            const resealed: Row = Object.fromEntries(old.map(sealAgain));
            // A rotation at the same time wins: it has sealed with its own primary key.
            const unchanged = old.map(({ column, sealed }): SQL => eq(columns[column] as PgColumn, sealed));
            const changed = await tx
              .update(table)
              .set(resealed as PgUpdateSetSource<Table>)
              .where(and(eq(table.tenantId, tenant), eq(idColumn, row[id]), ...unchanged))
              .returning({ id: idColumn });
            return changed.length > 0;
          },
        }),
      );
      after = rows.at(-1);
      if (rows.length < ROWS_AT_ONCE) return;
    }
  }

  /** The secrets of a row whose fields have the names of the columns, with bytes as `\x` and hex. */
  function secretsIn(row: Row): { column: string; sealed: Buffer; owner: string }[] {
    const fields = Object.entries(columns).map(([key, column]) => {
      const value = row[column.name];
      const isBytes = column.getSQLType() === 'bytea' && typeof value === 'string';
      return [key, isBytes ? Buffer.from(value.slice('\\x'.length), 'hex') : value];
    });
    const found = sealedIn(Object.fromEntries(fields));
    return found.map(({ column, ...secret }) => ({ ...secret, column: (columns[column] as PgColumn).name }));
  }

  return Object.assign(rowsOf, { table: table as TenantTable, secretsIn });
}
