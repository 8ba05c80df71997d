import { getTableColumns, sql } from 'drizzle-orm';
import { deviceRequests } from './device-requests.table.js';

type Row = typeof deviceRequests.$inferSelect;

const { status, expiresAt } = deviceRequests;

/** What a row is at this moment: a request whose time has passed is EXPIRED, also before the sweeper wrote it. */
export const currentDeviceRequest = {
  ...getTableColumns(deviceRequests),
  status: sql<
    Row['status']
  >`case when ${status} = 'PENDING' and ${expiresAt} <= now() then 'EXPIRED' else ${status} end`,
};

export const presentDeviceRequest = (row: Row, requestId: string) => ({
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

/** The one reply; null before it is given. */
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
