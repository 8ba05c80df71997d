import type { PgTable } from 'drizzle-orm/pg-core';
import type { Transaction } from '../foundation/database/database.js';
import { type Change, type Facts, withAudit } from '../gateway/audit/audit.js';
import type { Call, CallOf } from '../gateway/operation/call.js';
import { type Listed, newestFirst, type Query } from './lists.js';
import { deleteRow, ownRow, type Params, readRow, type TenantTable } from './rows.js';

type Present<Table extends PgTable, Item> = (row: Table['$inferSelect'], call: Call) => Item;

/** Answers the resource that the path names. */
export const getHandler =
  <Table extends TenantTable, Item>(table: Table, present: Present<Table, Item>) =>
  async ({ params }: { params: Params }, call: CallOf<'NOT_FOUND'>) => {
    const row = await call.asTenant((tx) => readRow(tx, call, table, ownRow(table, call, params)));
    return { status: 200 as const, body: present(row, call) };
  };

export const listHandler =
  <Table extends PgTable, Item>(listed: Listed<Table, Item>) =>
  ({ query }: { query: Query }, call: CallOf<'INVALID_CURSOR'>) =>
    newestFirst(call, query, listed);

/** Deletes the resource that the path names. `id` is the parameter that the answer repeats. */
export const deleteHandler =
  <Table extends TenantTable, Id extends string>(table: Table, present: Present<Table, Facts>, id: Id) =>
  ({ params }: { params: Params }, call: CallOf<'NOT_FOUND'>) =>
    auditedDeletion(call, { [id]: params[id] } as Record<Id, string>, async (tx) =>
      present(await deleteRow(tx, call, table, ownRow(table, call, params)), call),
    );

/** Answers a deletion with the ids in `named`. `work` deletes, and returns what the audit log keeps of the resource. */
export async function auditedDeletion<Named>(
  call: Call,
  named: Named,
  work: (tx: Transaction) => Promise<Facts>,
  options: Pick<Change, 'mayExceed'> = {},
) {
  await withAudit(call, { fields: {}, ...options }, async (tx) => ({
    before: await work(tx),
    after: null,
    result: null,
  }));
  return { status: 200 as const, body: { ...named, deleted: true as const, request_id: call.requestId } };
}
