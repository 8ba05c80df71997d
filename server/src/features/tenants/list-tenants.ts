import { tenants } from '../../platform/identity/tenants.table.js';
import { listHandler } from '../../platform/operation/resource-handlers.js';
import { presentTenant } from './present-tenant.js';

export const listTenants = listHandler({
  table: tenants,
  order: ['createdAt', 'tenantId'],
  filteredBy: ['status'],
  ofPlatform: true,
  present: presentTenant,
});
