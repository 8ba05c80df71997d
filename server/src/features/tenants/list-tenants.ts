import type { contract } from '@tenant-open-platform/contract';
import type { Database } from '../../platform/database/database.js';
import { tenants } from '../../platform/identity/tenants.table.js';
import { answerPage } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { presentTenant } from './present-tenant.js';

export const listTenants =
  (database: Database): Handler<typeof contract.tenants.list> =>
  async ({ query }, call) => {
    const page = await newestFirst(database, call, query, {
      table: tenants,
      order: ['createdAt', 'tenantId'],
      ofPlatform: true,
    });
    return answerPage(page, call, presentTenant);
  };
