import { getTableColumns } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';

type Columns<Table extends PgTable> = Table['_']['columns'];

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
