import { getHandler } from '../../platform/operation/resource-handlers.js';
import { callbackEndpoints } from './callback-endpoints.table.js';
import { presentCallbackEndpoint } from './present-callback-endpoint.js';

export const getCallbackEndpoint = getHandler(callbackEndpoints, presentCallbackEndpoint);
