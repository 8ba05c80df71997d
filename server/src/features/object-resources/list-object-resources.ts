import { listHandler } from '../../platform/operation/resource-handlers.js';
import { objectResources } from './object-resources.table.js';
import { presentObjectResource } from './present-object-resource.js';

export const listObjectResources = listHandler({
  table: objectResources,
  order: ['resourceId'],
  filteredBy: ['credentialId', 'status'],
  present: presentObjectResource,
});
