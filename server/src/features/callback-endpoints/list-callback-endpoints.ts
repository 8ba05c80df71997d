import type { contract } from '@tenant-open-platform/contract';
import type { Database } from '../../platform/database/database.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { callbackEndpoints } from './callback-endpoints.table.js';
import { presentCallbackEndpoint } from './present-callback-endpoint.js';

export const listCallbackEndpoints =
  (database: Database): Handler<typeof contract.callbackEndpoints.list> =>
  ({ query }, call) =>
    newestFirst(database, call, query, {
      table: callbackEndpoints,
      order: ['endpointId'],
      present: (row) => presentCallbackEndpoint(row, call),
    });
