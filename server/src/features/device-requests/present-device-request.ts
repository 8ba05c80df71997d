import { getTableColumns, sql } from 'drizzle-orm';
import type { Call } from '../../platform/operation/call.js';
import { deviceRequests } from './device-requests.table.js';

type Row = typeof deviceRequests.$inferSelect;

const { status, expiresAt } = deviceRequests;

/** The current status: a request past its deadline is EXPIRED even before the sweeper has written it. */
export const currentDeviceRequest = {
  ...getTableColumns(deviceRequests),
  status: sql<
    Row['status']
  >`case when ${status} = 'PENDING' and ${expiresAt} <= now() then 'EXPIRED' else ${status} end`,
};

export const presentDeviceRequest = (row: Row, { requestId }: Pick<Call, 'requestId'>) => ({
  device_request_id: row.deviceRequestId,
  vendor: row.vendor,
  device_id: row.deviceId,
  request_type: row.requestType,
  payload: row.payload,
  status: row.status,
  received_at: row.receivedAt.toISOString(),
  expires_at: row.expiresAt.toISOString(),
  reply: replyOf(row),
  request_id: requestId,
});

/** The reply; null until there is one. */
export function replyOf({ replyOutcome, replyPayload, replyError, repliedAt, repliedByClientId }: Row) {
  if (!replyOutcome || !repliedAt || !repliedByClientId) return null;
  return {
    outcome: replyOutcome,
    payload: replyPayload,
    error: replyError,
    replied_at: repliedAt.toISOString(),
    replied_by_client_id: repliedByClientId,
  };
}
