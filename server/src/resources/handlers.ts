import type { PgTable } from 'drizzle-orm/pg-core';
import type { Database, Transaction } from '../foundation/database/database.js';
import type { OpenedKeyring } from '../foundation/secrets/keyring.js';
import type { Signals } from '../foundation/signals/signals.js';
import type { Metrics } from '../foundation/telemetry/metrics.js';
import { type Change, type Facts, withAudit } from '../gateway/audit/audit.js';
import type { Call, CallOf, OperationName, Handler as WithServices } from '../gateway/operation/call.js';
import type { Acceptance } from '../pipeline/accept.js';
import type { Waits } from '../pipeline/backlog.js';
import type { Bus } from '../pipeline/bus/bus.js';
import type { PrincipalKey } from '../pipeline/provision-durables.js';
import type { WaitFor } from '../pipeline/wait-for.js';
import { type Listed, newestFirst, type Query } from './lists.js';
import { deleteRow, type Limits, ownRow, type Params, readRow } from './rows.js';

/** What the process has for its handlers. */
export type Services = {
  database: Database;
  bus: Bus;
  keyring: OpenedKeyring;
  signals: Signals;
  waitFor: WaitFor;
  waits: Waits;
  metrics: Metrics;
  acceptance: Acceptance;
  limits: Limits;
  payloadLimitBytes: number;
  allowsInsecureEndpoints: boolean;
  basePath: string;
  /** Creates on the bus what the principal reads. Resolves to what the bus refuses, or null. */
  provide: (key: PrincipalKey) => Promise<string | null>;
};

export type Handler<Operation extends OperationName> = WithServices<Operation, Services>;

type Present<Table extends PgTable, Item> = (row: Table['$inferSelect'], call: Call) => Item;

/** Answers the resource that the path names. */
export const getHandler =
  <Table extends PgTable, Item>(table: Table, present: Present<Table, Item>) =>
  async ({ params }: { params: Params }, call: CallOf<'NOT_FOUND'>) => {
    const row = await call.asTenant((tx) => readRow(tx, call, table, params));
    return { status: 200 as const, body: present(row, call) };
  };

export const listHandler =
  <Table extends PgTable, Item>(listed: Listed<Table, Item>) =>
  ({ query }: { query: Query }, call: CallOf<'INVALID_CURSOR'>) =>
    newestFirst(call, query, listed);

/** Deletes the resource that the path names. */
export const deleteHandler =
  <Table extends PgTable>(table: Table, present: Present<Table, Facts>) =>
  <Key extends Params>({ params }: { params: Key }, call: CallOf<'NOT_FOUND'>) =>
    auditedDeletion(call, { params }, async (tx) =>
      present(await deleteRow(tx, call, table, ownRow(table, call, params)), call),
    );

/** Answers a deletion. `work` deletes, and returns what the audit log keeps of the resource. */
export async function auditedDeletion<Key extends Params>(
  call: Call,
  { params, ...options }: { params: Key } & Pick<Change, 'mayExceed'>,
  work: (tx: Transaction) => Promise<Facts>,
) {
  await withAudit(call, { fields: {}, ...options }, async (tx) => ({
    before: await work(tx),
    after: null,
    result: null,
  }));
  return { status: 200 as const, body: { ...params, deleted: true as const, request_id: call.requestId } };
}
