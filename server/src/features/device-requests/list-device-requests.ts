import type { contract } from '@tenant-open-platform/contract';
import { and, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { answerPage, ID, pageOf, readCursor } from '../../platform/http/cursor.js';
import type { Handler } from '../../platform/http/handler.js';
import { firstIdAt } from '../../platform/new-id.js';
import { type Signals, topics } from '../../platform/signals/signals.js';
import { waitFor } from '../../platform/signals/wait-for.js';
import { deviceRequests } from './device-requests.table.js';
import { currentDeviceRequest, presentDeviceRequest } from './present-device-request.js';

const { status, expiresAt } = deviceRequests;

/** Literals, not parameters: what is pending has an index of its own. */
const hasStatus: Record<typeof status._.data, SQL> = {
  PENDING: sql`${status} = 'PENDING' and ${expiresAt} > now()`,
  REPLIED: sql`${status} = 'REPLIED'`,
  EXPIRED: sql`(${status} = 'EXPIRED' or ${status} = 'PENDING' and ${expiresAt} <= now())`,
};

export const listDeviceRequests =
  (database: Database, signals: Signals): Handler<typeof contract.deviceRequests.list> =>
  async ({ query: { limit, cursor, wait_seconds: waitSeconds, ...filters } }, call) => {
    const list = { call, filters };
    const before = readCursor(list, cursor, ID);
    const where = [
      eq(deviceRequests.tenantId, call.tenantId),
      before !== null && lt(deviceRequests.deviceRequestId, before),
      filters.status && hasStatus[filters.status],
      filters.vendor && eq(deviceRequests.vendor, filters.vendor),
      filters.device_id && eq(deviceRequests.deviceId, filters.device_id),
      filters.request_type && eq(deviceRequests.requestType, filters.request_type),
      filters.received_after && gte(deviceRequests.deviceRequestId, firstIdAt(filters.received_after)),
      filters.received_before && lt(deviceRequests.deviceRequestId, firstIdAt(filters.received_before)),
    ].filter((condition) => typeof condition === 'object');
    const found = await waitFor({
      signals,
      topic: topics.deviceRequests(call.tenantId),
      // Behind a cursor stands what came before: nothing comes there any more.
      waitSeconds: before === null ? waitSeconds : 0,
      isEnough: (rows) => rows.length > 0,
      look: () =>
        asTenant(database, call.tenantId, (tx) =>
          tx
            .select(currentDeviceRequest)
            .from(deviceRequests)
            .where(and(...where))
            .orderBy(desc(deviceRequests.deviceRequestId))
            .limit(limit + 1),
        ),
    });
    return answerPage(
      pageOf(list, found, limit, (row) => row.deviceRequestId),
      call,
      presentDeviceRequest,
    );
  };
