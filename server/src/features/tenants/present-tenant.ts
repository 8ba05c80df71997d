import { tenants } from '../../platform/identity/tenants.table.js';
import type { Call } from '../../platform/operation/call.js';
import { presenter } from '../../platform/operation/presenter.js';

const present = presenter(tenants, 'deletion', 'adapterReads');

export function presentTenant(row: typeof tenants.$inferSelect, call: Call) {
  if (!row.deletion) return { ...present(row, call), deletion: null };
  const { work: _, ...deletion } = row.deletion;
  return { ...present(row, call), deletion };
}
