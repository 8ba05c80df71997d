import type { CommandUpdate } from '@tenant-open-platform/contract/bus';
import type { commands, HistoryEntry } from './tables.js';

/** Named as in SQL, messages and answers. */
export type State = Pick<HistoryEntry, 'status' | 'adapter_status' | 'device_execution_status'>;

/** A report of an adapter on a command, for itself or for the device. */
export type ReportedStatuses = Pick<CommandUpdate, 'adapter_status' | 'device_execution_status'>;

type Row = Pick<typeof commands.$inferSelect, 'status' | 'adapterStatus' | 'deviceExecutionStatus'>;

export const stateOf = ({ status, adapterStatus, deviceExecutionStatus }: Row): State => ({
  status,
  adapter_status: adapterStatus,
  device_execution_status: deviceExecutionStatus,
});

export const INITIAL: State = { status: 'ACCEPTED', adapter_status: 'PENDING', device_execution_status: 'NOT_STARTED' };

export const isTerminal = ({ status }: Pick<State, 'status'>) => status !== 'ACCEPTED' && status !== 'DISPATCHED';

/** Statuses only move to a higher rank. */
const adapterRank: Record<State['adapter_status'], number> = {
  PENDING: 0,
  SENT: 1,
  DELIVERED: 2,
  REJECTED: 3,
  UNSUPPORTED: 3,
  UNREACHABLE: 3,
  FAILED: 3,
  TIMED_OUT: 3,
};
const deviceRank: Record<State['device_execution_status'], number> = {
  NOT_STARTED: 0,
  IN_PROGRESS: 1,
  SUCCEEDED: 2,
  FAILED: 2,
  REJECTED: 2,
  TIMED_OUT: 2,
  UNKNOWN: 2,
};

/** The status for a final state of the device, which takes precedence over the adapter's. */
const statusByDevice: Partial<Record<State['device_execution_status'], State['status']>> = {
  SUCCEEDED: 'SUCCEEDED',
  FAILED: 'FAILED',
  REJECTED: 'REJECTED',
  TIMED_OUT: 'TIMED_OUT',
};
const statusByAdapter: Partial<Record<State['adapter_status'], State['status']>> = {
  REJECTED: 'REJECTED',
  UNSUPPORTED: 'UNSUPPORTED',
  UNREACHABLE: 'FAILED',
  FAILED: 'FAILED',
  TIMED_OUT: 'TIMED_OUT',
};

/** The relay is about to publish the command. */
export const dispatch = (state: State): State | null =>
  state.status === 'ACCEPTED' ? { ...state, status: 'DISPATCHED', adapter_status: 'SENT' } : null;

/** The caller cancels the command before it is dispatched. */
export const cancel = (state: State): State | null =>
  state.status === 'ACCEPTED' ? { ...state, status: 'CANCELED' } : null;

/** The deadline passed. Never published: EXPIRED, safe to repeat. Published: TIMED_OUT, the outcome is unknown. */
export function expire(state: State): State | null {
  if (state.status === 'ACCEPTED') return { ...state, status: 'EXPIRED' };
  if (state.status !== 'DISPATCHED') return null;
  const adapter_status = state.adapter_status === 'SENT' ? 'TIMED_OUT' : state.adapter_status;
  return { status: 'TIMED_OUT', adapter_status, device_execution_status: 'UNKNOWN' };
}

/** The bus can never carry the command. If there is a report, the adapter has got it from an earlier message. */
export const failUnsent = (state: State): State | null =>
  state.adapter_status === 'SENT' ? { ...state, status: 'FAILED', adapter_status: 'FAILED' } : null;

/** A report of the adapter; null if it changes nothing: a repeat, a step back, too early or too late. */
export function report(state: State, said: ReportedStatuses): State | null {
  if (state.status !== 'DISPATCHED') return null;
  const device = higher(deviceRank, state.device_execution_status, said.device_execution_status);
  const statusOfDevice = statusByDevice[device];
  // A report of the device implies delivery. After the device's final report the adapter's reports no longer count.
  const adapterSaid = statusOfDevice
    ? 'DELIVERED'
    : (said.adapter_status ?? (said.device_execution_status && 'DELIVERED'));
  const adapter = higher(adapterRank, state.adapter_status, adapterSaid);
  if (device === state.device_execution_status && adapter === state.adapter_status) return null;
  const status = statusOfDevice ?? statusByAdapter[adapter] ?? state.status;
  // The adapter has given up a command that the device executes, or does not know what the device does.
  const isUnknown = isTerminal({ status }) && !statusOfDevice && (device === 'IN_PROGRESS' || adapter === 'TIMED_OUT');
  return { status, adapter_status: adapter, device_execution_status: isUnknown ? 'UNKNOWN' : device };
}

/**
 * Progress that is handled after the final result: the bus does not keep the order of two updates. It is news only of a
 * command of which nothing was known in time.
 */
export const isOutdated = (state: State, { adapter_status, device_execution_status }: ReportedStatuses): boolean =>
  !(state.status === 'TIMED_OUT' && state.device_execution_status === 'UNKNOWN') &&
  (statusByDevice[state.device_execution_status] ?? statusByAdapter[state.adapter_status]) !== undefined &&
  (adapter_status === undefined || adapter_status === 'DELIVERED') &&
  (device_execution_status === undefined || device_execution_status === 'IN_PROGRESS');

const higher = <Status extends string>(
  rank: Record<Status, number>,
  current: Status,
  next: Status | undefined,
): Status => (next !== undefined && rank[next] > rank[current] ? next : current);

/** UNKNOWN: the command was sent, and the device may have executed it. */
export function publicStatusOf({ status, device_execution_status }: State) {
  if (!isTerminal({ status })) return 'PENDING' as const;
  if (status === 'TIMED_OUT' || device_execution_status === 'UNKNOWN') return 'UNKNOWN' as const;
  return status === 'SUCCEEDED' ? ('SUCCEEDED' as const) : ('FAILED' as const);
}
