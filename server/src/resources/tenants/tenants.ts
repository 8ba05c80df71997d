import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { eq, ne, sql } from 'drizzle-orm';
import { invalidValue } from '../../foundation/api-error.js';
import type { Transaction } from '../../foundation/database/database.js';
import { type Signals, topics } from '../../foundation/signals/signals.js';
import { tenants } from '../../foundation/tables.js';
import { changeOf, withAudit } from '../../gateway/audit/audit.js';
import type { Call, CallOf, Handler } from '../../gateway/operation/call.js';
import { getHandler, listHandler } from '../handlers.js';
import { columnsOf, presenter, readRow, refuseBeyondLimit, updateRow } from '../rows.js';
import { refuseUnknownVendors } from '../vendors/vendors.js';

const fieldsOf = presenter(tenants, 'deletion', 'adapterReads', 'move');

export function presentTenant(row: typeof tenants.$inferSelect, call: Call) {
  const fields = { ...fieldsOf(row, call), moved_to: row.status === 'MOVED' ? (row.move?.to ?? null) : null };
  if (!row.deletion) return { ...fields, deletion: null };
  const { work: _, ...deletion } = row.deletion;
  return { ...fields, deletion };
}

export const createTenant =
  (limit: number): Handler<'tenants.create'> =>
  async ({ body }, call) => {
    if (body.tenant_id === PLATFORM_TENANT_ID) throw call.refuse('TENANT_ID_RESERVED');
    const created = await withAudit(call, { fields: body, created: body.tenant_id }, async (tx) => {
      await refuseBeyondLimit(tx, call, tenants, limit, ne(tenants.status, 'DELETED'));
      await refuseUnknownVendors(tx, body.vendors);
      const values = { ...columnsOf(tenants, body), tenantId: body.tenant_id };
      const [row] = await tx.insert(tenants).values(values).onConflictDoNothing().returning();
      if (!row) throw call.refuse('TENANT_ALREADY_EXISTS');
      return changeOf(call, presentTenant, null, row);
    });
    return { status: 201, body: created };
  };

export const listTenants = listHandler({
  table: tenants,
  order: ['createdAt', 'tenantId'],
  filteredBy: ['status'],
  ofPlatform: true,
  present: presentTenant,
});

export const getTenant = getHandler(tenants, presentTenant);

export const updateTenant =
  (signals: Signals): Handler<'tenants.update'> =>
  async ({ body }, call) => {
    if (call.tenantId === PLATFORM_TENANT_ID && body.status === 'DISABLED') throw call.refuse('TENANT_ID_RESERVED');
    const changed = await withAudit(call, { fields: body }, async (tx) => {
      const own = eq(tenants.tenantId, call.tenantId);
      const locked = await readRow(tx, call, tenants, own, 'no key update');
      await refuseUnknownVendors(tx, body.vendors);
      const updated = await updateRow(tx, tenants, own, columnsOf(tenants, body));
      return changeOf(call, presentTenant, locked, updated);
    });
    signals.send([topics.busAccess]);
    return { status: 200, body: changed };
  };

export const deleteTenant =
  (signals: Signals): Handler<'tenants.delete'> =>
  async ({ query }, call) => {
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
    signals.send([topics.deletion]);
    return { status: 202, body: presentTenant(row, call) };

    async function beginDeletion(tx: Transaction) {
      // Waits for every transaction that has written a row which refers to the tenant.
      const { status } = await readDisabled(tx, call, 'update');
      const row = await updateRow(tx, tenants, own, {
        status: 'DELETING',
        deletion: sql`jsonb_build_object(
        'requested_at', to_char(now()::timestamptz(3) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'rows_deleted', 0, 'finished_at', null,
        'work', jsonb_build_object(
          'step', 0, 'after', null, 'rows_in_pass', 0, 'transaction', pg_current_xact_id()::text, 'since', now()
        )
      )`,
      });
      return { before: { tenant_id: tenantId, status }, after: null, result: row };
    }
  };

type Refusing = CallOf<'NOT_FOUND' | 'TENANT_NOT_DISABLED'>;

/** Reads and locks the tenant to delete or export it: it must be DISABLED. */
export async function readDisabled(tx: Transaction, call: Refusing, lock: 'update' | 'key share') {
  const tenant = await readRow(tx, call, tenants, eq(tenants.tenantId, call.tenantId), lock);
  const { status } = tenant;
  if (status !== 'DISABLED') throw call.refuse('TENANT_NOT_DISABLED', { metadata: { status } });
  return tenant;
}
