import type { contract } from '@tenant-open-platform/contract';
import { and, eq } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import type { Handler } from '../../platform/operation/handler.js';
import { deviceRequests } from './device-requests.table.js';
import { currentDeviceRequest, presentDeviceRequest } from './present-device-request.js';

export const getDeviceRequest =
  (database: Database): Handler<typeof contract.deviceRequests.get> =>
  async ({ params: { request_id: deviceRequestId } }, { tenantId, requestId, refuse }) => {
    const [row] = await asTenant(database, tenantId, (tx) =>
      tx
        .select(currentDeviceRequest)
        .from(deviceRequests)
        .where(and(eq(deviceRequests.tenantId, tenantId), eq(deviceRequests.deviceRequestId, deviceRequestId))),
    );
    if (!row) throw refuse('NOT_FOUND');
    return { status: 200, body: presentDeviceRequest(row, requestId) };
  };
