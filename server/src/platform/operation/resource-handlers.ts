import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Facts } from '../audit/changed-values.js';
import { withAudit } from '../audit/with-audit.js';
import type { Call, CallOf } from './call.js';
import { type Listed, newestFirst, type Query } from './newest-first.js';
import { deleteRow, ownRow, readRow } from './rows.js';

type TenantTable = PgTable & { tenantId: PgColumn };
type Present<Table extends PgTable, Item> = (row: Table['$inferSelect'], call: Call) => Item;
type Params = Record<string, string>;

/** Answers the resource that the path names. */
export const getHandler =
  <Table extends TenantTable, Item>(table: Table, present: Present<Table, Item>) =>
  async ({ params }: { params: Params }, call: CallOf<'NOT_FOUND'>) => {
    const row = await call.asTenant((tx) => readRow(tx, call, table, ownRow(table, call, params)));
    return { status: 200 as const, body: present(row, call) };
  };

/** Lists the resources, newest first. */
export const listHandler =
  <Table extends PgTable, Item>(listed: Listed<Table, never, Item>) =>
  ({ query }: { query: Query }, call: CallOf<'INVALID_CURSOR'>) =>
    newestFirst(call, query, listed);

/** Deletes the resource that the path names. `id` is the parameter that the answer repeats. */
export const deleteHandler =
  <Table extends TenantTable, Id extends string>(table: Table, present: Present<Table, Facts>, id: Id) =>
  async ({ params }: { params: Params }, call: CallOf<'NOT_FOUND'>) => {
    await withAudit(call, { fields: {} }, async (tx) => {
      const deleted = await deleteRow(tx, call, table, ownRow(table, call, params));
      return { before: present(deleted, call), after: null, result: null };
    });
    const named = { [id]: params[id] } as Record<Id, string>;
    return { status: 200 as const, body: { ...named, deleted: true as const, request_id: call.requestId } };
  };
