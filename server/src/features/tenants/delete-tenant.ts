import { type contract, PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { eq, sql } from 'drizzle-orm';
import { insertPlatformAuditEvent, withAudit } from '../../platform/audit/with-audit.js';
import type { Database } from '../../platform/database/database.js';
import { invalidValue, notFound } from '../../platform/operation/api-error.js';
import type { Handler } from '../../platform/operation/handler.js';
import { presentTenant } from './present-tenant.js';
import { tenants } from './tenants.table.js';

/** Marks the tenant. background/purge-tenants.ts deletes its data. */
export const deleteTenant =
  (database: Database): Handler<typeof contract.tenants.delete> =>
  async ({ query: { confirm } }, call) => {
    const { tenantId } = call;
    if (confirm !== tenantId) throw invalidValue('query/confirm', 'must be the tenant_id of the path');
    if (tenantId === PLATFORM_TENANT_ID) throw call.refuse('TENANT_ID_RESERVED');
    const row = await withAudit(database, call, { fields: {} }, async (tx) => {
      const own = eq(tenants.tenantId, tenantId);
      const [locked] = await tx.select().from(tenants).where(own).for('no key update');
      if (!locked) throw notFound();
      if (locked.status === 'ACTIVE') throw call.refuse('TENANT_NOT_DISABLED');
      if (locked.status !== 'DISABLED') throw call.refuse('TENANT_DELETED');
      const [updated] = await tx
        .update(tenants)
        .set({ status: 'DELETING', deletionRequestedAt: sql`now()`, updatedAt: sql`now()` })
        .where(own)
        .returning();
      if (!updated) throw notFound();
      // The log of the tenant is deleted with it.
      await insertPlatformAuditEvent(tx, call);
      return { before: presentTenant(locked, call.requestId), after: null, result: updated };
    });
    return { status: 202, body: presentTenant(row, call.requestId) };
  };
