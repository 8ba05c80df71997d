import type { contract } from '@tenant-open-platform/contract';
import { and, eq } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import type { Handler } from '../../platform/operation/handler.js';
import { busPrincipals } from './bus-principals.table.js';
import { presentBusPrincipal } from './present-bus-principal.js';

export const getBusPrincipal =
  (database: Database): Handler<typeof contract.busPrincipals.get> =>
  async ({ params }, call) => {
    const [row] = await asTenant(database, call.tenantId, (tx) =>
      tx
        .select()
        .from(busPrincipals)
        .where(and(eq(busPrincipals.tenantId, call.tenantId), eq(busPrincipals.principalId, params.principal_id))),
    );
    if (!row) throw call.refuse('NOT_FOUND');
    return { status: 200, body: presentBusPrincipal(row, call.requestId) };
  };
