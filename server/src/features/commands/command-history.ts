import type { commands, HistoryEntry } from './commands.table.js';
import { columnsOf, dispatch, INITIAL, type State } from './transitions.js';

type Command = typeof commands.$inferSelect;

/** The whole history of a command. Its columns show acceptance and dispatch, `history` shows all later changes. */
export function historyOf({ acceptedAt, dispatchedAt, history }: Command): HistoryEntry[] {
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
