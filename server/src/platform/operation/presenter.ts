import { getTableColumns } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Call } from './call.js';

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

/**
 * Presents rows of a table in answers: every column under its name in the database, except those left out. Bytes are
 * never shown: they are sealed secrets and hashes.
 */
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
