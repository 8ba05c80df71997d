import { asc, desc, eq, gt, gte, lt, type SQL, sql } from 'drizzle-orm';
import { all, boundedScan } from '../../platform/database/bounded-scan.js';
import { fittingRows, jsonBytes } from '../../platform/database/fitting-rows.js';
import { firstIdAt } from '../../platform/new-id.js';
import { answerPage, cursorWriter, ID, pageOf, readCursor } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { topics } from '../../platform/signals/signals.js';
import type { WaitFor } from '../../platform/signals/wait-for.js';
import { deviceRequests } from './device-requests.table.js';
import { currentDeviceRequest, presentDeviceRequest } from './present-device-request.js';

const { status, expiresAt } = deviceRequests;

/** Before every id. */
const BEGINNING = '00000000-0000-0000-0000-000000000000';

const hasStatus: Record<typeof status._.data, SQL> = {
  PENDING: sql`${status} = 'PENDING' and ${expiresAt} > now()`,
  REPLIED: sql`${status} = 'REPLIED'`,
  EXPIRED: sql`(${status} = 'EXPIRED' or ${status} = 'PENDING' and ${expiresAt} <= now())`,
};

export const listDeviceRequests =
  (waitFor: WaitFor): Handler<'deviceRequests.list'> =>
  async ({ query: { limit, cursor, wait_seconds: waitSeconds, ...filters } }, call) => {
    const list = { call, filters };
    const position = readCursor(list, cursor, ID);
    const isAscending = filters.order === 'asc';
    const cursorAt = cursorWriter(list);
    const range = all([
      eq(deviceRequests.tenantId, call.tenantId),
      position !== null && (isAscending ? gt : lt)(deviceRequests.deviceRequestId, position),
      filters.device_id && eq(deviceRequests.deviceId, filters.device_id),
      // A literal, not a parameter: pending requests have a partial index. A single device has only a few requests.
      filters.status === 'PENDING' && !filters.device_id && sql`${status} = 'PENDING'`,
      filters.received_after && gte(deviceRequests.deviceRequestId, firstIdAt(filters.received_after)),
      filters.received_before && lt(deviceRequests.deviceRequestId, firstIdAt(filters.received_before)),
    ]);
    const withoutIndex = all([
      filters.status && hasStatus[filters.status],
      filters.vendor && eq(deviceRequests.vendor, filters.vendor),
      filters.request_type && eq(deviceRequests.requestType, filters.request_type),
    ]);
    const found = await waitFor({
      call,
      topic: topics.deviceRequests(call.tenantId),
      // Newest first, the pages after the first hold older requests, which cannot grow.
      waitSeconds: position === null || isAscending ? waitSeconds : 0,
      // Oldest first, a page that has read its maximum of rows is answered even if it is empty: its cursor goes on.
      isEnough: ({ rows, lastRead }) => rows.length > 0 || (isAscending && lastRead !== null),
      look: () =>
        call.asTenant(async (tx) => {
          const { from, where, lastRead } = await boundedScan(tx, {
            columns: [deviceRequests.deviceRequestId],
            direction: isAscending ? 'asc' : 'desc',
            range,
            filters: withoutIndex,
          });
          const rows = await fittingRows(tx, {
            first: (count) =>
              tx
                .select(currentDeviceRequest)
                .from(from)
                .where(where)
                .orderBy((isAscending ? asc : desc)(deviceRequests.deviceRequestId))
                .limit(count),
            limit,
            bytes: jsonBytes('payload', 'reply_payload'),
            orderBy: isAscending ? sql`device_request_id` : sql`device_request_id desc`,
          });
          return { ...rows, lastRead };
        }),
    });
    const page = pageOf(list, found.rows, found.limit, (row) => row.deviceRequestId, found.lastRead);
    const end = isAscending ? cursorAt(page.rows.at(-1)?.deviceRequestId ?? position ?? BEGINNING) : null;
    return answerPage({ ...page, nextCursor: page.nextCursor ?? end }, call, (row) => ({
      ...presentDeviceRequest(row, call),
      cursor: cursorAt(row.deviceRequestId),
    }));
  };
