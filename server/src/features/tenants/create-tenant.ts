import { type contract, PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { changing } from '../../platform/audit/changing.js';
import type { Database } from '../../platform/database/database.js';
import { ApiError } from '../../platform/http/api-error.js';
import type { Handler } from '../../platform/http/handler.js';
import { presentTenant } from './present-tenant.js';
import { tenants } from './tenants.table.js';

export const createTenant =
  (database: Database): Handler<typeof contract.tenants.create> =>
  async ({ body }, call) => {
    if (body.tenant_id === PLATFORM_TENANT_ID) throw new ApiError('TENANT_ID_RESERVED');
    const row = await changing(database, call, { fields: body, created: body.tenant_id }, async (tx) => {
      const [created] = await tx
        .insert(tenants)
        .values({ tenantId: body.tenant_id, name: body.name, status: body.status ?? 'ACTIVE' })
        .onConflictDoNothing()
        .returning();
      if (!created) throw new ApiError('TENANT_ALREADY_EXISTS');
      return created;
    });
    return { status: 201, body: presentTenant(row, call.requestId) };
  };
