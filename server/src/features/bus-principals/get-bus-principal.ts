import type { contract } from '@tenant-open-platform/contract';
import { and, eq } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import type { Handler } from '../../platform/operation/handler.js';
import { readRow } from '../../platform/operation/rows.js';
import { busPrincipals } from './bus-principals.table.js';
import { presentBusPrincipal } from './present-bus-principal.js';

export const getBusPrincipal =
  (database: Database): Handler<typeof contract.busPrincipals.get> =>
  async ({ params }, call) => {
    const own = and(eq(busPrincipals.tenantId, call.tenantId), eq(busPrincipals.principalId, params.principal_id));
    const row = await asTenant(database, call.tenantId, (tx) => readRow(tx, call, busPrincipals, own));
    return { status: 200, body: presentBusPrincipal(row, call.requestId) };
  };
