import { getHandler } from '../../platform/operation/resource-handlers.js';
import { objectResources } from './object-resources.table.js';
import { presentObjectResource } from './present-object-resource.js';

export const getObjectResource = getHandler(objectResources, presentObjectResource);
