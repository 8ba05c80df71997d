import type { Command } from '@tenant-open-platform/sdk';

/**
 * Whether no device has seen the command: it was never sent (EXPIRED), nobody has ever read commands of the vendor
 * (NO_ADAPTER), or every report of its adapter says UNREACHABLE.
 * A late report counts too, so a TIMED_OUT command may be safe, and one that the device has executed after all is not.
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
