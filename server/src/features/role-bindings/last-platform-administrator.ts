import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { and, eq, isNull } from 'drizzle-orm';
import type { Transaction } from '../../platform/database/database.js';
import { credentials } from '../../platform/identity/credentials.table.js';
import { roleBindings } from '../../platform/identity/role-bindings.table.js';
import { tenants } from '../../platform/identity/tenants.table.js';
import type { CallOf } from '../../platform/operation/call.js';

/**
 * Serializes changes of platform administrators: two concurrent changes that each leave one administrator must not
 * together leave none. `requireOneLeft` is called after the change, in the same transaction. Null in other tenants.
 */
export async function lockPlatformAdministrators(tx: Transaction, call: CallOf<'LAST_PLATFORM_ADMINISTRATOR'>) {
  if (call.tenantId !== PLATFORM_TENANT_ID) return null;
  await tx.select().from(tenants).where(eq(tenants.tenantId, PLATFORM_TENANT_ID)).for('no key update');
  return {
    async requireOneLeft(): Promise<void> {
      const [lasting] = await tx
        .select({ clientId: credentials.clientId })
        .from(credentials)
        .innerJoin(
          roleBindings,
          and(eq(roleBindings.tenantId, credentials.tenantId), eq(roleBindings.clientId, credentials.clientId)),
        )
        .where(
          and(
            eq(credentials.tenantId, PLATFORM_TENANT_ID),
            eq(credentials.status, 'ACTIVE'),
            isNull(credentials.expiresAt),
            eq(roleBindings.role, 'platform_admin'),
          ),
        )
        .limit(1);
      if (!lasting) throw call.refuse('LAST_PLATFORM_ADMINISTRATOR');
    },
  };
}
