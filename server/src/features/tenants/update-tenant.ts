import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { eq } from 'drizzle-orm';
import { changeOf, withAudit } from '../../platform/audit/with-audit.js';
import { tenants } from '../../platform/identity/tenants.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { readRow, updateRow } from '../../platform/operation/rows.js';
import { type Signals, topics } from '../../platform/signals/signals.js';
import { refuseUnknownVendors } from '../vendors/vendors.js';
import { presentTenant } from './present-tenant.js';

export const updateTenant =
  (signals: Signals): Handler<'tenants.update'> =>
  async ({ body }, call) => {
    if (call.tenantId === PLATFORM_TENANT_ID && body.status === 'DISABLED') throw call.refuse('TENANT_ID_RESERVED');
    const changed = await withAudit(call, { fields: body }, async (tx) => {
      const own = eq(tenants.tenantId, call.tenantId);
      const locked = await readRow(tx, call, tenants, own, 'no key update');
      await refuseUnknownVendors(tx, body.vendors);
      const { name, status, vendors, requests_per_minute: requestsPerMinute } = body;
      const updated = await updateRow(tx, tenants, own, { name, status, vendors, requestsPerMinute });
      return changeOf(call, presentTenant, locked, updated);
    });
    signals.send([topics.busAccess]);
    return { status: 200, body: changed };
  };
