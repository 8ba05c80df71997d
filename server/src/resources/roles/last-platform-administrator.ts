import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { eq, sql } from 'drizzle-orm';
import type { Transaction } from '../../foundation/database/database.js';
import { tenants } from '../../foundation/identity/identity.table.js';
import type { CallOf } from '../../gateway/operation/call.js';

/**
 * Serializes changes of platform administrators: two concurrent changes that each leave one administrator must not
 * together leave none. `requireOneLeft` is called after the change, in the same transaction. Null in other tenants.
 */
export async function lockPlatformAdministrators(tx: Transaction, call: CallOf<'LAST_PLATFORM_ADMINISTRATOR'>) {
  if (call.tenantId !== PLATFORM_TENANT_ID) return null;
  await tx.select().from(tenants).where(eq(tenants.tenantId, PLATFORM_TENANT_ID)).for('no key update');
  return {
    async requireOneLeft(): Promise<void> {
      const lasting = await tx.execute(sql`
        select from credentials join role_bindings using (tenant_id, client_id)
        where tenant_id = ${PLATFORM_TENANT_ID} and role = 'platform_admin' and status = 'ACTIVE' and expires_at is null
        limit 1`);
      if (lasting.length === 0) throw call.refuse('LAST_PLATFORM_ADMINISTRATOR');
    },
  };
}
