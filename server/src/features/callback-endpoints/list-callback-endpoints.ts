import type { contract } from '@tenant-open-platform/contract';
import type { Database } from '../../platform/database/database.js';
import { answerPage } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { callbackEndpoints } from './callback-endpoints.table.js';
import { presentCallbackEndpoint } from './present-callback-endpoint.js';

export const listCallbackEndpoints =
  (database: Database): Handler<typeof contract.callbackEndpoints.list> =>
  async ({ query }, call) => {
    const page = await newestFirst(database, call, query, { table: callbackEndpoints, order: ['endpointId'] });
    return answerPage(page, call, (row) => presentCallbackEndpoint(row, call));
  };
