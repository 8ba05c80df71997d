import { changeOf, withAudit } from '../../platform/audit/with-audit.js';
import { invalidValue } from '../../platform/operation/api-error.js';
import type { Handler } from '../../platform/operation/handler.js';
import { ownRow, readRow, updateRow } from '../../platform/operation/rows.js';
import { type Signals, topics } from '../../platform/signals/signals.js';
import { refuseForeignVendors } from '../vendors/vendors.js';
import { busPrincipals } from './bus-principals.table.js';
import { presentBusPrincipal } from './present-bus-principal.js';

export const updateBusPrincipal =
  (signals: Signals): Handler<'busPrincipals.update'> =>
  async ({ params, body }, call) => {
    const own = ownRow(busPrincipals, call, params);
    const updated = await withAudit(call, { fields: body }, async (tx) => {
      const locked = await readRow(tx, call, busPrincipals, own, 'update');
      if (locked.status === 'DELETED') throw call.refuse('BUS_PRINCIPAL_DELETED');
      if (body.vendors && locked.principalType !== 'SERVICE') {
        throw invalidValue('body/vendors', 'is allowed only for a SERVICE principal');
      }
      await refuseForeignVendors(tx, call.tenantId, body.vendors);
      const row = await updateRow(tx, busPrincipals, own, {
        status: body.status,
        vendors: body.vendors,
        expiresAt: typeof body.expires_at === 'string' ? new Date(body.expires_at) : body.expires_at,
      });
      return changeOf(call, presentBusPrincipal, locked, row);
    });
    signals.send([topics.busAccess]);
    return { status: 200, body: updated };
  };
