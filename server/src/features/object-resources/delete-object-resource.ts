import { deleteHandler } from '../../platform/operation/resource-handlers.js';
import { objectResources } from './object-resources.table.js';
import { presentObjectResource } from './present-object-resource.js';

export const deleteObjectResource = deleteHandler(objectResources, presentObjectResource, 'resource_id');
