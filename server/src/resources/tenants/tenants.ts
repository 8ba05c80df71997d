import { contract, PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { ne } from 'drizzle-orm';
import { invalidValue } from '../../foundation/api-error.js';
import type { Transaction } from '../../foundation/database/database.js';
import { topics } from '../../foundation/signals/signals.js';
import { tenants } from '../../foundation/tables.js';
import { changeOf, withAudit } from '../../gateway/audit/audit.js';
import type { Call, CallOf } from '../../gateway/operation/call.js';
import { getHandler, type Handler, listHandler } from '../handlers.js';
import { columnsOf, presenter, readRow, refuseBeyondLimit, updateRow } from '../rows.js';
import { refuseUnknownVendors } from '../vendors/vendors.js';
import { newDeletion } from './purge-tenants.js';

const fieldsOf = presenter(tenants, contract.tenants.get.responses[200]);

export function presentTenant(row: typeof tenants.$inferSelect, call: Call) {
  const fields = { ...fieldsOf(row, call), moved_to: row.status === 'MOVED' ? (row.move?.to ?? null) : null };
  if (!row.deletion) return { ...fields, deletion: null };
  const { work: _, ...deletion } = row.deletion;
  return { ...fields, deletion };
}

export const create: Handler<'tenants.create'> = async ({ body }, call, { limits }) => {
  if (body.tenant_id === PLATFORM_TENANT_ID) throw call.refuse('TENANT_ID_RESERVED');
  const created = await withAudit(call, { fields: body, created: body.tenant_id }, async (tx) => {
    await refuseBeyondLimit(tx, call, tenants, limits, ne(tenants.status, 'DELETED'));
    await refuseUnknownVendors(tx, body.vendors);
    const values = { ...columnsOf(tenants, body), tenantId: body.tenant_id };
    const [row] = await tx.insert(tenants).values(values).onConflictDoNothing().returning();
    if (!row) throw call.refuse('TENANT_ALREADY_EXISTS');
    return changeOf(call, presentTenant, null, row);
  });
  return { status: 201, body: created };
};

export const list = listHandler({
  table: tenants,
  order: ['createdAt', 'tenantId'],
  filteredBy: ['status'],
  ofPlatform: true,
  present: presentTenant,
});

export const get = getHandler(tenants, presentTenant);

export const update: Handler<'tenants.update'> = async ({ params, body }, call, { signals }) => {
  if (call.tenantId === PLATFORM_TENANT_ID && body.status === 'DISABLED') throw call.refuse('TENANT_ID_RESERVED');
  const changed = await withAudit(call, { fields: body }, async (tx) => {
    const locked = await readRow(tx, call, tenants, params, 'no key update');
    await refuseUnknownVendors(tx, body.vendors);
    const updated = await updateRow(tx, call, tenants, params, columnsOf(tenants, body));
    return changeOf(call, presentTenant, locked, updated);
  });
  signals.send([topics.busAccess]);
  return { status: 200, body: changed };
};

const deleteTenant: Handler<'tenants.delete'> = async ({ params, query }, call, { signals }) => {
  const { tenantId } = call;
  if (query.confirm !== tenantId) throw invalidValue('query/confirm', 'must be the tenant_id of the path');
  if (tenantId === PLATFORM_TENANT_ID) throw call.refuse('TENANT_ID_RESERVED');
  // The entry stays, so it is in the log of tenant `platform` and holds nothing of the tenant but its id.
  const asked = { ...call, tenantId: PLATFORM_TENANT_ID };
  const row = await withAudit(asked, { fields: {} }, async (tx) => {
    // Waits for every transaction that has written a row which refers to the tenant.
    const { status } = await readDisabled(tx, call, 'update');
    const result = await updateRow(tx, call, tenants, params, { status: 'DELETING', deletion: newDeletion });
    return { before: { tenant_id: tenantId, status }, after: null, result };
  }).catch(async (error: unknown) => {
    // A repetition changes nothing and leaves no entry.
    const found = await call.asTenant((tx) => readRow(tx, call, tenants, params));
    if (found.status === 'DELETING' || found.status === 'DELETED') return found;
    throw error;
  });
  signals.send([topics.deletion]);
  return { status: 202, body: presentTenant(row, call) };
};

export { deleteTenant as delete };

type Refusing = CallOf<'NOT_FOUND' | 'TENANT_NOT_DISABLED'>;

/** Reads and locks the tenant to delete or export it: it must be DISABLED. */
export async function readDisabled(tx: Transaction, call: Refusing, lock: 'update' | 'key share') {
  const tenant = await readRow(tx, call, tenants, {}, lock);
  const { status } = tenant;
  if (status !== 'DISABLED') throw call.refuse('TENANT_NOT_DISABLED', { metadata: { status } });
  return tenant;
}
