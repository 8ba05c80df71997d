import type { contract } from '@tenant-open-platform/contract';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import type { Handler } from '../../platform/operation/handler.js';
import { readRow } from '../../platform/operation/rows.js';
import { callbackEndpoints, isEndpoint } from './callback-endpoints.table.js';
import { presentCallbackEndpoint } from './present-callback-endpoint.js';

export const getCallbackEndpoint =
  (database: Database): Handler<typeof contract.callbackEndpoints.get> =>
  async ({ params: { endpoint_id: endpointId } }, call) => {
    const own = isEndpoint(call.tenantId, endpointId);
    const row = await asTenant(database, call.tenantId, (tx) => readRow(tx, call, callbackEndpoints, own));
    return { status: 200, body: presentCallbackEndpoint(row, call) };
  };
