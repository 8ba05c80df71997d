import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { ne } from 'drizzle-orm';
import { changeOf, withAudit } from '../../platform/audit/with-audit.js';
import { tenants } from '../../platform/identity/tenants.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { refuseUnknownVendors } from '../vendors/vendors.js';
import { presentTenant } from './present-tenant.js';
import { refuseBeyondLimit } from './refuse-beyond-limit.js';

export const createTenant =
  (limit: number): Handler<'tenants.create'> =>
  async ({ body }, call) => {
    if (body.tenant_id === PLATFORM_TENANT_ID) throw call.refuse('TENANT_ID_RESERVED');
    const created = await withAudit(call, { fields: body, created: body.tenant_id }, async (tx) => {
      await refuseBeyondLimit(tx, call, tenants, limit, ne(tenants.status, 'DELETED'));
      await refuseUnknownVendors(tx, body.vendors);
      const [row] = await tx
        .insert(tenants)
        .values({
          tenantId: body.tenant_id,
          name: body.name,
          status: body.status ?? 'ACTIVE',
          vendors: body.vendors,
          requestsPerMinute: body.requests_per_minute,
        })
        .onConflictDoNothing()
        .returning();
      if (!row) throw call.refuse('TENANT_ALREADY_EXISTS');
      return changeOf(call, presentTenant, null, row);
    });
    return { status: 201, body: created };
  };
