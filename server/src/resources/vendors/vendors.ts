import { eq, inArray, sql } from 'drizzle-orm';
import { notFoundIn } from '../../foundation/api-error.js';
import type { Transaction } from '../../foundation/database/database.js';
import { type Signals, topics } from '../../foundation/signals/signals.js';
import { tenants } from '../../foundation/tables.js';
import { changeOf, withAudit } from '../../gateway/audit/audit.js';
import type { Handler } from '../../gateway/operation/call.js';
import { vendors } from '../../pipeline/tables.js';
import { listHandler } from '../handlers.js';
import { presenter, refuseBeyondLimit } from '../rows.js';

const presentVendor = presenter(vendors);

export const listVendors = listHandler({
  table: vendors,
  order: ['createdAt', 'vendor'],
  ofPlatform: true,
  present: presentVendor,
});

export const putVendor =
  (signals: Signals, limit: number): Handler<'vendors.put'> =>
  async ({ params: { vendor }, body: { enabled } }, call) => {
    const changed = await withAudit(call, { fields: { enabled } }, async (tx) => {
      const [existing] = await tx.select().from(vendors).where(eq(vendors.vendor, vendor)).for('no key update');
      if (!existing) await refuseBeyondLimit(tx, call, vendors, limit);
      const [put] = await tx
        .insert(vendors)
        .values({ vendor, enabled })
        .onConflictDoUpdate({ target: vendors.vendor, set: { enabled, updatedAt: sql`now()` } })
        .returning();
      if (!put) throw new Error('The vendor was neither inserted nor updated.');
      return changeOf(call, presentVendor, existing, put);
    });
    signals.send([topics.busAccess]);
    return { status: 200, body: changed };
  };

type Named = readonly string[] | null | undefined;

/** Refuses a body whose field `vendors` names one that the catalog does not have. */
export async function refuseUnknownVendors(tx: Transaction, named: Named): Promise<void> {
  if (!named) return;
  const rows = await tx.select().from(vendors).where(inArray(vendors.vendor, named));
  const known = rows.map(({ vendor }) => vendor);
  refuseOthers(named, known);
}

/** The same, also for a vendor that the tenant may not use. */
export async function refuseForeignVendors(tx: Transaction, tenantId: string, named: Named): Promise<void> {
  if (!named) return;
  await refuseUnknownVendors(tx, named);
  const [tenant] = await tx.select().from(tenants).where(eq(tenants.tenantId, tenantId));
  if (tenant?.vendors) refuseOthers(named, tenant.vendors);
}

function refuseOthers(named: readonly string[], known: readonly string[]): void {
  const index = named.findIndex((vendor) => !known.includes(vendor));
  if (index >= 0) throw notFoundIn(`body/vendors/${index}`);
}
