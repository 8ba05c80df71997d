import type { CommandUpdate } from '@tenant-open-platform/contract/bus';
import type { commands } from './tables.js';

type Row = typeof commands.$inferSelect;

export type State = {
  status: Row['status'];
  adapterStatus: Row['adapterStatus'];
  deviceExecutionStatus: Row['deviceExecutionStatus'];
};

/** A report of an adapter on a command, for itself or for the device. */
export type ReportedStatuses = {
  adapterStatus?: CommandUpdate['adapter_status'];
  deviceExecutionStatus?: CommandUpdate['device_execution_status'];
};

/** The columns of a state, named as in SQL, messages and answers. */
export type StateColumns = {
  status: State['status'];
  adapter_status: State['adapterStatus'];
  device_execution_status: State['deviceExecutionStatus'];
};

export const stateOf = ({ status, adapter_status, device_execution_status }: StateColumns): State => ({
  status,
  adapterStatus: adapter_status,
  deviceExecutionStatus: device_execution_status,
});

export const stateColumns = ({ status, adapterStatus, deviceExecutionStatus }: State): StateColumns => ({
  status,
  adapter_status: adapterStatus,
  device_execution_status: deviceExecutionStatus,
});

export const INITIAL: State = { status: 'ACCEPTED', adapterStatus: 'PENDING', deviceExecutionStatus: 'NOT_STARTED' };

export const isTerminal = ({ status }: Pick<State, 'status'>) => status !== 'ACCEPTED' && status !== 'DISPATCHED';

/** Statuses only move to a higher rank. */
const adapterRank: Record<State['adapterStatus'], number> = {
  PENDING: 0,
  SENT: 1,
  DELIVERED: 2,
  REJECTED: 3,
  UNSUPPORTED: 3,
  UNREACHABLE: 3,
  FAILED: 3,
  TIMED_OUT: 3,
};
const deviceRank: Record<State['deviceExecutionStatus'], number> = {
  NOT_STARTED: 0,
  IN_PROGRESS: 1,
  SUCCEEDED: 2,
  FAILED: 2,
  REJECTED: 2,
  TIMED_OUT: 2,
  UNKNOWN: 2,
};

/** The status for a final state of the device, which takes precedence over the adapter's. */
const statusByDevice: Partial<Record<State['deviceExecutionStatus'], State['status']>> = {
  SUCCEEDED: 'SUCCEEDED',
  FAILED: 'FAILED',
  REJECTED: 'REJECTED',
  TIMED_OUT: 'TIMED_OUT',
};
const statusByAdapter: Partial<Record<State['adapterStatus'], State['status']>> = {
  REJECTED: 'REJECTED',
  UNSUPPORTED: 'UNSUPPORTED',
  UNREACHABLE: 'FAILED',
  FAILED: 'FAILED',
  TIMED_OUT: 'TIMED_OUT',
};

/** The relay is about to publish the command. */
export const dispatch = (state: State): State | null =>
  state.status === 'ACCEPTED' ? { ...state, status: 'DISPATCHED', adapterStatus: 'SENT' } : null;

/** The caller cancels the command before it is dispatched. */
export const cancel = (state: State): State | null =>
  state.status === 'ACCEPTED' ? { ...state, status: 'CANCELED' } : null;

/** The deadline passed. Never published: EXPIRED, safe to repeat. Published: TIMED_OUT, the outcome is unknown. */
export function expire(state: State): State | null {
  if (state.status === 'ACCEPTED') return { ...state, status: 'EXPIRED' };
  if (state.status !== 'DISPATCHED') return null;
  const adapterStatus = state.adapterStatus === 'SENT' ? 'TIMED_OUT' : state.adapterStatus;
  return { status: 'TIMED_OUT', adapterStatus, deviceExecutionStatus: 'UNKNOWN' };
}

/** The bus can never carry the command: it has not reached the adapter. */
export const failUnsent = (state: State): State | null =>
  state.status === 'DISPATCHED' ? { ...state, status: 'FAILED', adapterStatus: 'FAILED' } : null;

/** A report of the adapter; null if it changes nothing: a repeat, a step back, too early or too late. */
export function report(state: State, { adapterStatus, deviceExecutionStatus }: ReportedStatuses): State | null {
  if (state.status !== 'DISPATCHED') return null;
  const device = higher(deviceRank, state.deviceExecutionStatus, deviceExecutionStatus);
  const statusOfDevice = statusByDevice[device];
  // A report of the device implies delivery. After the device's final report the adapter's reports no longer count.
  const adapterSaid = statusOfDevice ? 'DELIVERED' : (adapterStatus ?? (deviceExecutionStatus && 'DELIVERED'));
  const adapter = higher(adapterRank, state.adapterStatus, adapterSaid);
  if (device === state.deviceExecutionStatus && adapter === state.adapterStatus) return null;
  const status = statusOfDevice ?? statusByAdapter[adapter] ?? state.status;
  return { status, adapterStatus: adapter, deviceExecutionStatus: device };
}

/** Progress that was sent before the final result and is handled after it: the bus keeps no order between two updates. */
export const isOutdated = (state: State, { adapterStatus, deviceExecutionStatus }: ReportedStatuses): boolean =>
  state.deviceExecutionStatus !== 'UNKNOWN' &&
  (statusByDevice[state.deviceExecutionStatus] ?? statusByAdapter[state.adapterStatus]) !== undefined &&
  (adapterStatus === undefined || adapterStatus === 'DELIVERED') &&
  (deviceExecutionStatus === undefined || deviceExecutionStatus === 'IN_PROGRESS');

const higher = <Status extends string>(
  rank: Record<Status, number>,
  current: Status,
  next: Status | undefined,
): Status => (next !== undefined && rank[next] > rank[current] ? next : current);

/** TIMED_OUT is UNKNOWN: the command was sent, and its outcome was not reported. */
export function publicStatusOf(status: State['status']) {
  if (!isTerminal({ status })) return 'PENDING' as const;
  if (status === 'TIMED_OUT') return 'UNKNOWN' as const;
  return status === 'SUCCEEDED' ? ('SUCCEEDED' as const) : ('FAILED' as const);
}
