import { and, asc, eq, inArray } from 'drizzle-orm';
import type { Transaction } from '../../platform/database/database.js';
import { commandHistory } from './command-history.table.js';
import type { commands } from './commands.table.js';
import { dispatch, INITIAL, type State } from './transitions.js';

type Command = typeof commands.$inferSelect;

type Entry = {
  at: string;
  source: 'PLATFORM' | 'ADAPTER' | 'DEVICE';
  status: Command['status'];
  adapter_status: Command['adapterStatus'];
  device_execution_status: Command['deviceExecutionStatus'];
  reason: { code: string; message: string } | null;
};

/** The histories of some commands of a tenant, by command_id. */
export async function historiesOf(tx: Transaction, tenantId: string, rows: Command[]): Promise<Map<string, Entry[]>> {
  const ids = rows.map(({ commandId }) => commandId);
  const written =
    ids.length === 0
      ? []
      : await tx
          .select()
          .from(commandHistory)
          .where(and(eq(commandHistory.tenantId, tenantId), inArray(commandHistory.commandId, ids)))
          .orderBy(asc(commandHistory.at), asc(commandHistory.entryId));
  const histories = new Map(rows.map((row) => [row.commandId, beginning(row)]));
  for (const row of written) {
    histories.get(row.commandId)?.push({
      at: row.at.toISOString(),
      source: row.source,
      status: row.status,
      adapter_status: row.adapterStatus,
      device_execution_status: row.deviceExecutionStatus,
      reason: row.reason,
    });
  }
  return histories;
}

/** That it was accepted and dispatched stands in its own row. */
function beginning({ acceptedAt, dispatchedAt }: Command): Entry[] {
  const accepted = entryOf(acceptedAt, INITIAL);
  const dispatched = dispatchedAt && dispatch(INITIAL);
  return dispatched ? [accepted, entryOf(dispatchedAt, dispatched)] : [accepted];
}

const entryOf = (at: Date, state: State): Entry => ({
  at: at.toISOString(),
  source: 'PLATFORM',
  status: state.status,
  adapter_status: state.adapterStatus,
  device_execution_status: state.deviceExecutionStatus,
  reason: null,
});
