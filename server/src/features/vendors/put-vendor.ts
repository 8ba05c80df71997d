import { eq, sql } from 'drizzle-orm';
import { changeOf, withAudit } from '../../platform/audit/with-audit.js';
import type { Handler } from '../../platform/operation/handler.js';
import { type Signals, topics } from '../../platform/signals/signals.js';
import { refuseBeyondLimit } from '../tenants/refuse-beyond-limit.js';
import { presentVendor } from './present-vendor.js';
import { vendors } from './vendors.table.js';

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
