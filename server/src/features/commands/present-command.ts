import type { Call } from '../../platform/operation/call.js';
import { presenter } from '../../platform/operation/presenter.js';
import { commands, type HistoryEntry } from './commands.table.js';
import { columnsOf, dispatch, INITIAL, type State } from './transitions.js';

type Row = typeof commands.$inferSelect;

const present = presenter(commands, 'tenantId', 'requestId', 'history', 'traceparent');

export const presentCommand = (row: Row, call: Pick<Call, 'requestId'>) => ({
  ...present(row, call),
  public_status: publicStatusOf(row.status),
  history: historyOf(row),
});

/** TIMED_OUT is UNKNOWN: the command was sent, and its outcome was not reported. */
export function publicStatusOf(status: Row['status']) {
  switch (status) {
    case 'ACCEPTED':
    case 'DISPATCHED':
      return 'PENDING' as const;
    case 'SUCCEEDED':
      return 'SUCCEEDED' as const;
    case 'TIMED_OUT':
      return 'UNKNOWN' as const;
    default:
      return 'FAILED' as const;
  }
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
