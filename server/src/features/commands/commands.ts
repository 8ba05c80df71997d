import { CommandStatus } from '@tenant-open-platform/contract';
import { count, desc, eq, gte, inArray, lt, notInArray, sql } from 'drizzle-orm';
import { all } from '../../platform/database/bounded-scan.js';
import type { Transaction } from '../../platform/database/database.js';
import { firstIdAt } from '../../platform/new-id.js';
import type { Call, CallOf } from '../../platform/operation/call.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { presenter } from '../../platform/operation/presenter.js';
import { ownRow, readRow } from '../../platform/operation/rows.js';
import { type Signals, topics } from '../../platform/signals/signals.js';
import type { WaitFor } from '../../platform/signals/wait-for.js';
import type { Metrics } from '../../platform/telemetry/metrics.js';
import { commands, type HistoryEntry } from './commands.table.js';
import { announce, type Move, moveCommands } from './move-commands.js';
import { cancel, columnsOf, dispatch, INITIAL, isTerminal, type State } from './transitions.js';

type Row = typeof commands.$inferSelect;

const present = presenter(commands, 'tenantId', 'requestId', 'history', 'traceparent');

const presentCommand = (row: Row, call: Pick<Call, 'requestId'>) => ({
  ...present(row, call),
  public_status: publicStatusOf(row.status),
  history: historyOf(row),
});

/** TIMED_OUT is UNKNOWN: the command was sent, and its outcome was not reported. */
export function publicStatusOf(status: Row['status']) {
  if (!isTerminal({ status })) return 'PENDING' as const;
  if (status === 'TIMED_OUT') return 'UNKNOWN' as const;
  return status === 'SUCCEEDED' ? ('SUCCEEDED' as const) : ('FAILED' as const);
}

/** The whole history of a command. Its columns show acceptance and dispatch, `history` shows all later changes. */
function historyOf({ acceptedAt, dispatchedAt, history }: Row): HistoryEntry[] {
  const accepted = platformEntry(acceptedAt, INITIAL);
  const dispatched = dispatchedAt && dispatch(INITIAL);
  return dispatched ? [accepted, platformEntry(dispatchedAt, dispatched), ...history] : [accepted, ...history];
}

const platformEntry = (at: Date, state: State): HistoryEntry => ({
  at: at.toISOString(),
  source: 'PLATFORM',
  ...columnsOf(state),
  reason: null,
});

export const getCommand =
  (waitFor: WaitFor): Handler<'commands.get'> =>
  async ({ params: { command_id: commandId }, query }, call) => {
    const { tenantId } = call;
    const seen = query.seen_updated_at === undefined ? null : Date.parse(query.seen_updated_at);
    const command = await waitFor({
      call,
      topic: topics.command(tenantId, commandId),
      waitSeconds: query.wait_seconds,
      look: () => call.asTenant((tx) => readCommand(tx, call, commandId)),
      isEnough: (found) => isTerminal(found) || (seen !== null && Date.parse(found.updated_at) !== seen),
    });
    return { status: 200, body: command };
  };

type Reader = Pick<CallOf<'NOT_FOUND'>, 'tenantId' | 'requestId' | 'refuse'>;

export const readCommand = async (tx: Transaction, call: Reader, commandId: string) =>
  presentCommand(await readRow(tx, call, commands, ownRow(commands, call, { command_id: commandId })), call);

const UNDER_WAY = CommandStatus.options.filter((status) => !isTerminal({ status }));

type Acceptance = Partial<Record<'batch_id' | 'accepted_after' | 'accepted_before', string | undefined>>;

const ofBatch = ({ batch_id }: Acceptance) => batch_id && eq(commands.batchId, batch_id);

const inTime = ({ accepted_after, accepted_before }: Acceptance) =>
  all([
    accepted_after && gte(commands.commandId, firstIdAt(accepted_after)),
    accepted_before && lt(commands.commandId, firstIdAt(accepted_before)),
  ]);

export const listCommands: Handler<'commands.list'> = ({ query }, call) => {
  // Of two conditions with an index Postgres may take the one that finds more rows.
  const isBatchRange = query.device_id === undefined && query.idempotency_key === undefined;
  return newestFirst(call, query, {
    table: commands,
    order: ['commandId'],
    range: all([
      query.device_id && eq(commands.deviceId, query.device_id),
      query.idempotency_key && eq(commands.idempotencyKey, query.idempotency_key),
      isBatchRange && ofBatch(query),
      inTime(query),
    ]),
    filteredBy: ['status', 'vendor', 'commandType', 'createdByClientId'],
    filters: all([
      !isBatchRange && ofBatch(query),
      query.is_final === true && notInArray(commands.status, UNDER_WAY),
      query.is_final === false && inArray(commands.status, UNDER_WAY),
    ]),
    json: ['payload', 'result', 'late_result', 'history'],
    present: presentCommand,
  });
};

/** The rows that a request reads. The status of a command is in no index, because it changes. */
const ROWS_READ = 10_000;

export const summaryCommands: Handler<'commands.summary'> = async ({ query }, { tenantId, requestId, asTenant }) => {
  const found = await asTenant((tx) => {
    const read = tx
      .select({ status: commands.status, commandId: commands.commandId })
      .from(commands)
      .where(
        all([
          eq(commands.tenantId, tenantId),
          ofBatch(query),
          inTime(query),
          query.older_than && lt(commands.commandId, query.older_than),
        ]),
      )
      .orderBy(desc(commands.commandId))
      .limit(ROWS_READ)
      .as('read');
    const oldest = sql<string>`min(${read.commandId}::text)`;
    return tx.select({ status: read.status, number: count(), oldest }).from(read).groupBy(read.status);
  });
  const counts = Object.fromEntries(CommandStatus.options.map((status) => [status, 0])) as Record<
    Row['status'],
    number
  >;
  for (const { status, number } of found) counts[status] = number;
  const total = found.reduce((sum, { number }) => sum + number, 0);
  const [oldest = null] = found.map((row) => row.oldest).sort();
  return {
    status: 200,
    body: { counts, total, next_older_than: total < ROWS_READ ? null : oldest, request_id: requestId },
  };
};

export const cancelCommand =
  (signals: Signals, metrics: Metrics): Handler<'commands.cancel'> =>
  async ({ params: { command_id: commandId } }, call) => {
    const { tenantId, caller } = call;
    const moves: Move[] = [];
    const canceled = await call.asTenant(async (tx) => {
      const own = ownRow(commands, call, { command_id: commandId });
      const row = await readRow(tx, call, commands, own, 'no key update');
      const after = cancel(row);
      if (!after && row.status !== 'CANCELED') {
        throw call.refuse('COMMAND_NOT_CANCELABLE', { metadata: { status: row.status } });
      }
      if (after) {
        const reason = { code: 'CANCELED', message: `Canceled by ${caller.clientId} before it was dispatched.` };
        moves.push({ tenantId, commandId, vendor: row.vendor, before: row, after, source: 'PLATFORM', reason });
        await moveCommands(tx, moves);
      }
      return readCommand(tx, call, commandId);
    });
    announce({ signals, metrics }, moves);
    return { status: 200, body: canceled };
  };
