import { tenants } from '../../platform/identity/tenants.table.js';
import { getHandler } from '../../platform/operation/resource-handlers.js';
import { presentTenant } from './present-tenant.js';

export const getTenant = getHandler(tenants, presentTenant);
