import { eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import { all } from '../../platform/database/bounded-scan.js';
import { firstIdAt } from '../../platform/new-id.js';
import { answerPage } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { openList } from '../../platform/operation/newest-first.js';
import { topics } from '../../platform/signals/signals.js';
import type { WaitFor } from '../../platform/signals/wait-for.js';
import { deviceRequests } from './device-requests.table.js';
import { currentDeviceRequest, presentDeviceRequest } from './present-device-request.js';

const { status, expiresAt, deviceId, deviceRequestId } = deviceRequests;

/** Before every id. */
const BEGINNING = '00000000-0000-0000-0000-000000000000';

const hasStatus: Record<typeof status._.data, SQL> = {
  PENDING: sql`${status} = 'PENDING' and ${expiresAt} > now()`,
  REPLIED: sql`${status} = 'REPLIED'`,
  EXPIRED: sql`(${status} = 'EXPIRED' or ${status} = 'PENDING' and ${expiresAt} <= now())`,
};

export const listDeviceRequests =
  (waitFor: WaitFor): Handler<'deviceRequests.list'> =>
  async ({ query: { wait_seconds: waitSeconds, ...query } }, call) => {
    const isAscending = query.order === 'asc';
    const list = openList(call, query, {
      table: deviceRequests,
      order: ['deviceRequestId'],
      columns: currentDeviceRequest,
      range: all([
        query.device_id && eq(deviceId, query.device_id),
        // A literal, not a parameter: pending requests have a partial index. A single device has only a few requests.
        query.status === 'PENDING' && !query.device_id && sql`${status} = 'PENDING'`,
        query.received_after && gte(deviceRequestId, firstIdAt(query.received_after)),
        query.received_before && lt(deviceRequestId, firstIdAt(query.received_before)),
      ]),
      filters: query.status && hasStatus[query.status],
      filteredBy: ['vendor', 'requestType'],
      json: ['payload', 'reply_payload'],
    });
    const found = await waitFor({
      call,
      topic: topics.deviceRequests(call.tenantId),
      // Newest first, the pages after the first hold older requests, which cannot grow.
      waitSeconds: list.position === null || isAscending ? waitSeconds : 0,
      // Oldest first, a page that has read its maximum of rows is answered even if it is empty: its cursor goes on.
      isEnough: ({ rows, lastRead }) => rows.length > 0 || (isAscending && lastRead !== null),
      look: list.look,
    });
    const page = list.pageOf(found);
    const end = isAscending ? list.cursorAt(page.rows.at(-1)?.deviceRequestId ?? list.position ?? BEGINNING) : null;
    return answerPage({ ...page, nextCursor: page.nextCursor ?? end }, call, (row) => ({
      ...presentDeviceRequest(row, call),
      cursor: list.cursorAt(row.deviceRequestId),
    }));
  };
