import { and, eq } from 'drizzle-orm';
import type { Transaction } from '../../platform/database/database.js';
import { credentials } from '../../platform/identity/credentials.table.js';
import type { CallOf } from '../../platform/operation/call.js';

/**
 * Reads and locks a credential to change it; null if the tenant has none with this name. New commands lock only its
 * key, which this lock leaves free, so they do not wait.
 */
export async function lockCredential(
  tx: Transaction,
  call: Pick<CallOf<'CREDENTIAL_DELETED'>, 'tenantId' | 'refuse'>,
  clientId: string,
) {
  const [row] = await tx
    .select()
    .from(credentials)
    .where(and(eq(credentials.tenantId, call.tenantId), eq(credentials.clientId, clientId)))
    .for('no key update');
  if (!row) return null;
  if (row.status === 'DELETED') throw call.refuse('CREDENTIAL_DELETED');
  return row;
}
