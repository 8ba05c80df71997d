import type { contract } from '@tenant-open-platform/contract';
import { eq } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { tenants } from '../../platform/identity/tenants.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { presentTenant } from './present-tenant.js';

export const getTenant =
  (database: Database): Handler<typeof contract.tenants.get> =>
  async (_request, call) => {
    const [row] = await asTenant(database, call.tenantId, (tx) =>
      tx.select().from(tenants).where(eq(tenants.tenantId, call.tenantId)),
    );
    if (!row) throw call.refuse('NOT_FOUND');
    return { status: 200, body: presentTenant(row, call.requestId) };
  };
