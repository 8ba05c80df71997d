import { historyOf } from './command-history.js';
import type { commands } from './commands.table.js';

type Row = typeof commands.$inferSelect;

export const presentCommand = (row: Row, requestId: string) => ({
  command_id: row.commandId,
  vendor: row.vendor,
  device_id: row.deviceId,
  command_type: row.commandType,
  payload: row.payload,
  idempotency_key: row.idempotencyKey,
  timeout_seconds: row.timeoutSeconds,
  status: row.status,
  adapter_status: row.adapterStatus,
  device_execution_status: row.deviceExecutionStatus,
  public_status: publicStatusOf(row.status),
  status_reason: row.statusReason,
  result: row.result,
  late_result: row.lateResult,
  accepted_at: row.acceptedAt.toISOString(),
  dispatched_at: row.dispatchedAt?.toISOString() ?? null,
  deadline_at: row.deadlineAt.toISOString(),
  completed_at: row.completedAt?.toISOString() ?? null,
  updated_at: row.updatedAt.toISOString(),
  created_by_client_id: row.createdByClientId,
  history: historyOf(row),
  request_id: requestId,
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
