import { and, eq } from 'drizzle-orm';
import type { Transaction } from '../../platform/database/database.js';
import type { CallOf } from '../../platform/operation/call.js';
import { credentials } from './credentials.table.js';

/**
 * Reads a credential for a change of it; null where the tenant has none of that name. Commands refer to it with a lock
 * on its key, which this one leaves free: no command waits for a change of its credential.
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
