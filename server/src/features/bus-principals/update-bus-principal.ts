import type { contract } from '@tenant-open-platform/contract';
import { and, eq } from 'drizzle-orm';
import { changeOf, withAudit } from '../../platform/audit/with-audit.js';
import type { Database } from '../../platform/database/database.js';
import { invalidValue } from '../../platform/operation/api-error.js';
import type { Handler } from '../../platform/operation/handler.js';
import { readRow, updateRow } from '../../platform/operation/rows.js';
import { type Signals, topics } from '../../platform/signals/signals.js';
import { refuseForeignVendors } from '../vendors/refuse-unknown-vendors.js';
import { busPrincipals } from './bus-principals.table.js';
import { presentBusPrincipal } from './present-bus-principal.js';

export const updateBusPrincipal =
  (database: Database, signals: Signals): Handler<typeof contract.busPrincipals.update> =>
  async ({ params, body }, call) => {
    const isIt = and(eq(busPrincipals.tenantId, call.tenantId), eq(busPrincipals.principalId, params.principal_id));
    const row = await withAudit(database, call, { fields: body }, async (tx) => {
      const locked = await readRow(tx, call, busPrincipals, isIt, 'update');
      if (locked.status === 'DELETED') throw call.refuse('BUS_PRINCIPAL_DELETED');
      if (body.vendors && locked.principalType !== 'SERVICE') {
        throw invalidValue('body/vendors', 'is for SERVICE principals alone');
      }
      await refuseForeignVendors(tx, call.tenantId, body.vendors);
      const updated = await updateRow(tx, busPrincipals, isIt, {
        status: body.status,
        vendors: body.vendors,
        expiresAt: typeof body.expires_at === 'string' ? new Date(body.expires_at) : body.expires_at,
      });
      return changeOf(call, presentBusPrincipal, locked, updated);
    });
    signals.send([topics.busAccess]);
    return { status: 200, body: presentBusPrincipal(row, call.requestId) };
  };
