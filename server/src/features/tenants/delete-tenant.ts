import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { eq, sql } from 'drizzle-orm';
import { withAudit } from '../../platform/audit/with-audit.js';
import type { Transaction } from '../../platform/database/database.js';
import { tenants } from '../../platform/identity/tenants.table.js';
import { invalidValue } from '../../platform/operation/api-error.js';
import type { Handler } from '../../platform/operation/handler.js';
import { presentTenant } from './present-tenant.js';

export const deleteTenant: Handler<'tenants.delete'> = async ({ query }, call) => {
  const { tenantId } = call;
  if (query.confirm !== tenantId) throw invalidValue('query/confirm', 'must be the tenant_id of the path');
  if (tenantId === PLATFORM_TENANT_ID) throw call.refuse('TENANT_ID_RESERVED');
  const own = eq(tenants.tenantId, tenantId);
  const read = async (tx: Transaction) => (await tx.select().from(tenants).where(own))[0];
  // The entry stays, so it is in the log of tenant `platform` and holds nothing of the tenant but its id.
  const asked = { ...call, tenantId: PLATFORM_TENANT_ID };
  const row = await withAudit(asked, { fields: {} }, beginDeletion).catch(async (error: unknown) => {
    // A repetition changes nothing and leaves no entry.
    const found = await call.asTenant(read);
    if (found?.status === 'DELETING' || found?.status === 'DELETED') return found;
    throw error;
  });
  return { status: 202, body: presentTenant(row, call) };

  async function beginDeletion(tx: Transaction) {
    // Waits for every transaction that has written a row which refers to the tenant.
    const [locked] = await tx.select().from(tenants).where(own).for('update');
    if (!locked) throw call.refuse('NOT_FOUND');
    if (locked.status !== 'DISABLED') {
      throw call.refuse('TENANT_NOT_DISABLED', { metadata: { status: locked.status } });
    }
    const [row] = await tx
      .update(tenants)
      .set({
        status: 'DELETING',
        updatedAt: sql`now()`,
        deletion: sql`jsonb_build_object(
            'requested_at', to_char(now()::timestamptz(3) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'rows_deleted', 0, 'finished_at', null,
            'work', jsonb_build_object(
              'step', 0, 'after', null, 'rows_in_pass', 0, 'transaction', pg_current_xact_id()::text, 'since', now()
            )
          )`,
      })
      .where(own)
      .returning();
    if (!row) throw call.refuse('NOT_FOUND');
    return { before: { tenant_id: tenantId, status: locked.status }, after: null, result: row };
  }
};
