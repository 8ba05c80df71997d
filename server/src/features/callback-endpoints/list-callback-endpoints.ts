import { listHandler } from '../../platform/operation/resource-handlers.js';
import { callbackEndpoints } from './callback-endpoints.table.js';
import { presentCallbackEndpoint } from './present-callback-endpoint.js';

export const listCallbackEndpoints = listHandler({
  table: callbackEndpoints,
  order: ['endpointId'],
  filteredBy: ['status'],
  present: presentCallbackEndpoint,
});
