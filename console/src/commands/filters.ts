import { finalStatuses, openStatuses } from '@tenant-open-platform/contract/facts';
import type { CommandListQuery, CommandStatus } from '@tenant-open-platform/sdk';

/** The filters of the list, as they are in the address. */
export type CommandFilters = Pick<CommandListQuery, 'status' | (typeof names)[number]>;

export const statuses = [...openStatuses, ...finalStatuses] as const;

/** Not CANCELED: a caller wanted that. */
export const failed = ['FAILED', 'REJECTED', 'UNSUPPORTED', 'TIMED_OUT', 'EXPIRED'] as const satisfies CommandStatus[];

const names = [
  'vendor',
  'device_id',
  'command_type',
  'batch_id',
  'reason',
  'accepted_after',
  'accepted_before',
  'completed_after',
  'completed_before',
] as const;

/** What an address says. What is unknown is left out; the platform judges the values. */
export function toFilters(search: Record<string, unknown>): CommandFilters {
  const filters: CommandFilters = {};
  for (const name of names) {
    const value = search[name];
    if (typeof value === 'string' && value) filters[name] = value;
  }
  const named = String(search.status ?? '').split(',');
  const status = statuses.filter((one) => named.includes(one));
  return status.length > 0 ? { ...filters, status } : filters;
}
