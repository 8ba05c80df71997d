import type { Call } from '../../platform/operation/call.js';
import { presenter } from '../../platform/operation/presenter.js';
import { historyOf } from './command-history.js';
import { commands } from './commands.table.js';

type Row = typeof commands.$inferSelect;

const present = presenter(commands, 'tenantId', 'requestId', 'history');

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
