import { and, asc, eq, getTableColumns, gt, type SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Transaction } from '../database/database.js';
import { type Keyring, keyIdOf } from './keyring.js';

type Row = Record<string, unknown>;

/** A table that holds sealed secrets. */
export type SealedTable = {
  /** The rows of a tenant behind an id, in the order of the ids. */
  page(tx: Transaction, tenantId: string, after: string | null): Promise<SealedRow[]>;
};

/** A row and its secrets that are not null. */
export type SealedRow = {
  id: string;
  keyIds: string[];
  /** Seals the secrets with the primary key that have another one. False where somebody has changed the row meanwhile. */
  rewrap(tx: Transaction, keyring: Keyring): Promise<boolean>;
};

export const ROWS_AT_ONCE = 100;

type TenantTable = PgTable & { tenantId: PgColumn };

type Description<Table extends TenantTable> = {
  /** The column that, with the tenant, names a row. */
  id: keyof Table['$inferSelect'] & string;
  /** The columns with secrets: the column, and the identity that a secret of the row is sealed for. */
  secrets: { [Column in keyof Table['$inferSelect'] & string]?: (row: Table['$inferSelect']) => string };
};

export function sealedTable<Table extends TenantTable>(table: Table, { id, secrets }: Description<Table>): SealedTable {
  const columns = getTableColumns(table as PgTable);
  const idColumn = columns[id] as PgColumn;
  const sealedIn = (row: Row) =>
    Object.entries(secrets).flatMap(([column, ownerOf]) => {
      const sealed = row[column];
      return sealed instanceof Uint8Array && ownerOf
        ? [{ column, sealed: Buffer.from(sealed), owner: (ownerOf as (row: Row) => string)(row) }]
        : [];
    });
  return {
    async page(tx, tenant, after) {
      const rows = (await tx
        .select()
        .from(table as PgTable)
        .where(and(eq(table.tenantId, tenant), after === null ? undefined : gt(idColumn, after)))
        .orderBy(asc(idColumn))
        .limit(ROWS_AT_ONCE)) as Row[];
      return rows.map((row) => ({
        id: String(row[id]),
        keyIds: sealedIn(row).map(({ sealed }) => keyIdOf(sealed)),
        async rewrap(tx, keyring) {
          const old = sealedIn(row).filter(({ sealed }) => keyIdOf(sealed) !== keyring.primary);
          if (old.length === 0) return true;
          const resealed = old.map(({ column, sealed, owner }) => [
            column,
            keyring.seal(keyring.open(sealed, owner), owner),
          ]);
          // A rotation at the same time wins: it has sealed with its own primary key.
          const unchanged = old.map(({ column, sealed }): SQL => eq(columns[column] as PgColumn, sealed));
          const changed = await tx
            .update(table)
            .set(Object.fromEntries(resealed))
            .where(and(eq(table.tenantId, tenant), eq(idColumn, row[id]), ...unchanged))
            .returning({ id: idColumn });
          return changed.length > 0;
        },
      }));
    },
  };
}
