import { contract } from '@tenant-open-platform/contract';
import { eq, inArray, sql } from 'drizzle-orm';
import { notFoundIn } from '../../foundation/api-error.js';
import type { Transaction } from '../../foundation/database/database.js';
import { topics } from '../../foundation/signals/signals.js';
import { tenants } from '../../foundation/tables.js';
import { changeOf, withAudit } from '../../gateway/audit/audit.js';
import { vendors } from '../../pipeline/tables.js';
import { type Handler, listHandler } from '../handlers.js';
import { presenter, refuseBeyondLimit } from '../rows.js';

const presentVendor = presenter(vendors, contract.vendors.put.responses[200]);

export const list = listHandler({
  table: vendors,
  order: ['createdAt', 'vendor'],
  ofPlatform: true,
  present: presentVendor,
});

export const put: Handler<'vendors.put'> = async ({ params, body: { enabled } }, call, { signals, limits }) => {
  const { vendor } = params;
  const changed = await withAudit(call, { fields: { enabled } }, async (tx) => {
    const [existing] = await tx.select().from(vendors).where(eq(vendors.vendor, vendor)).for('no key update');
    if (!existing) await refuseBeyondLimit(tx, call, vendors, limits);
    const [stored] = await tx
      .insert(vendors)
      .values({ vendor, enabled })
      .onConflictDoUpdate({ target: vendors.vendor, set: { enabled, updatedAt: sql`now()` } })
      .returning();
    return changeOf(call, presentVendor, existing, stored as typeof vendors.$inferSelect);
  });
  signals.send([topics.busAccess]);
  return { status: 200, body: changed };
};

type Named = readonly string[] | null | undefined;

/** Refuses a body whose field `vendors` names one that the catalog does not have, or that this tenant may not use. */
export async function refuseUnknownVendors(tx: Transaction, named: Named, tenantId?: string): Promise<void> {
  if (!named) return;
  const known = await tx.select().from(vendors).where(inArray(vendors.vendor, named));
  const [tenant] = tenantId ? await tx.select().from(tenants).where(eq(tenants.tenantId, tenantId)) : [];
  for (const allowed of [known.map(({ vendor }) => vendor), tenant?.vendors ?? named]) {
    const index = named.findIndex((vendor) => !allowed.includes(vendor));
    if (index >= 0) throw notFoundIn(`body/vendors/${index}`);
  }
}
