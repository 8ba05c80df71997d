import type { contract } from '@tenant-open-platform/contract';
import type { Database } from '../../platform/database/database.js';
import { tenants } from '../../platform/identity/tenants.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { presentTenant } from './present-tenant.js';

export const listTenants =
  (database: Database): Handler<typeof contract.tenants.list> =>
  ({ query }, call) =>
    newestFirst(database, call, query, {
      table: tenants,
      order: ['createdAt', 'tenantId'],
      ofPlatform: true,
      present: presentTenant,
    });
