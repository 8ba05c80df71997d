import { adapterStatus, commandStatus, type commands, deviceExecutionStatus, type HistoryEntry } from './tables.js';

/**
 * The changes of a command after its dispatch, as its row keeps them: a line for each, so short that the row and its
 * updates fit a page. `CCCC812` is DEVICE, SUCCEEDED, DELIVERED, SUCCEEDED, 812 milliseconds after acceptance: a letter is
 * the place of a value among all. So values are only appended. A reason stands before the milliseconds, as JSON.
 */
type Kept = Omit<HistoryEntry, 'at'>;

const sources = ['PLATFORM', 'ADAPTER', 'DEVICE'] as const;
const A = 65;
const letterOf = <Value>(values: readonly Value[], value: Value) => String.fromCharCode(A + values.indexOf(value));
const valueAt = <Value>(values: readonly Value[], letter = '') => values[letter.charCodeAt(0) - A] as Value;

/** A line without its milliseconds, which the statement adds that writes it. */
export const toLine = ({ source, status, adapter_status, device_execution_status, reason }: Kept): string =>
  [
    letterOf(sources, source),
    letterOf(commandStatus.enumValues, status),
    letterOf(adapterStatus.enumValues, adapter_status),
    letterOf(deviceExecutionStatus.enumValues, device_execution_status),
    reason && JSON.stringify(reason),
  ].join('');

const LINE = /^(.)(.)(.)(.)(\{[^\n]*\})?(\d+)$/gm;

export const linesOf = (history: string): (Kept & { elapsedMs: number })[] =>
  [...history.matchAll(LINE)].map(([, source, status, adapter, device, reason, elapsed]) => ({
    source: valueAt(sources, source),
    status: valueAt(commandStatus.enumValues, status),
    adapter_status: valueAt(adapterStatus.enumValues, adapter),
    device_execution_status: valueAt(deviceExecutionStatus.enumValues, device),
    reason: reason === undefined ? null : JSON.parse(reason),
    elapsedMs: Number(elapsed),
  }));

export const readHistory = ({ history, acceptedAt }: Pick<typeof commands.$inferSelect, 'history' | 'acceptedAt'>) =>
  linesOf(history).map(
    ({ elapsedMs, ...kept }): HistoryEntry => ({
      at: new Date(acceptedAt.getTime() + elapsedMs).toISOString(),
      ...kept,
    }),
  );
