import type { Handler } from '../../platform/operation/handler.js';
import { ownRow } from '../../platform/operation/rows.js';
import { deviceRequests } from './device-requests.table.js';
import { currentDeviceRequest, presentDeviceRequest } from './present-device-request.js';

export const getDeviceRequest: Handler<'deviceRequests.get'> = async (
  { params: { request_id: deviceRequestId } },
  call,
) => {
  const own = ownRow(deviceRequests, call, { device_request_id: deviceRequestId });
  const [row] = await call.asTenant((tx) => tx.select(currentDeviceRequest).from(deviceRequests).where(own));
  if (!row) throw call.refuse('NOT_FOUND');
  return { status: 200, body: presentDeviceRequest(row, call) };
};
