import type { Command } from '@tenant-open-platform/sdk';

/**
 * Whether no device has seen the command. That is so if the platform never sent it (EXPIRED), if no adapter has ever read
 * commands of the vendor (NO_ADAPTER), or if every report of the adapter says UNREACHABLE. Late reports count too.
 */
export function isSafeToRepeat({
  status,
  status_reason,
  history,
}: Pick<Command, 'status' | 'status_reason' | 'history'>): boolean {
  const reports = history.filter(({ source }) => source !== 'PLATFORM');
  if (reports.some(({ source, adapter_status }) => source !== 'ADAPTER' || adapter_status !== 'UNREACHABLE'))
    return false;
  if (status === 'TIMED_OUT' && status_reason?.code === 'NO_ADAPTER') return true;
  return status === 'EXPIRED' || ((status === 'FAILED' || status === 'TIMED_OUT') && reports.length > 0);
}
