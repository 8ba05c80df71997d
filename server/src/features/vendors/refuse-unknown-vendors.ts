import { eq, inArray } from 'drizzle-orm';
import type { Transaction } from '../../platform/database/database.js';
import { tenants } from '../../platform/identity/tenants.table.js';
import { notFoundIn } from '../../platform/operation/api-error.js';
import { vendors } from './vendors.table.js';

/** Refuses a body whose field `vendors` names one that the catalog does not have. */
export async function refuseUnknownVendors(tx: Transaction, named: readonly string[] | null | undefined) {
  if (!named) return;
  const rows = await tx.select({ vendor: vendors.vendor }).from(vendors).where(inArray(vendors.vendor, named));
  refuseOthers(
    named,
    rows.map(({ vendor }) => vendor),
  );
}

/** The same, also for a vendor that the tenant may not use. */
export async function refuseForeignVendors(
  tx: Transaction,
  tenantId: string,
  named: readonly string[] | null | undefined,
) {
  if (!named) return;
  await refuseUnknownVendors(tx, named);
  const limit = await vendorsOf(tx, tenantId);
  if (limit) refuseOthers(named, limit);
}

/** The vendors to which the tenant is limited; null: it may use all. */
async function vendorsOf(tx: Transaction, tenantId: string): Promise<string[] | null> {
  const [tenant] = await tx.select({ vendors: tenants.vendors }).from(tenants).where(eq(tenants.tenantId, tenantId));
  return tenant?.vendors ?? null;
}

function refuseOthers(named: readonly string[], known: readonly string[]): void {
  const index = named.findIndex((vendor) => !known.includes(vendor));
  if (index >= 0) throw notFoundIn(`body/vendors/${index}`);
}
