import type { contract } from '@tenant-open-platform/contract';
import { eq } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { tenants } from '../../platform/identity/tenants.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { readRow } from '../../platform/operation/rows.js';
import { presentTenant } from './present-tenant.js';

export const getTenant =
  (database: Database): Handler<typeof contract.tenants.get> =>
  async (_request, call) => {
    const own = eq(tenants.tenantId, call.tenantId);
    const row = await asTenant(database, call.tenantId, (tx) => readRow(tx, call, tenants, own));
    return { status: 200, body: presentTenant(row, call.requestId) };
  };
