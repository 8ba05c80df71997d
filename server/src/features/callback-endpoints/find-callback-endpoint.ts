import { and, eq } from 'drizzle-orm';
import type { Transaction } from '../../platform/database/database.js';
import type { CallOf } from '../../platform/operation/call.js';
import { callbackEndpoints } from './callback-endpoints.table.js';

export const isEndpoint = (tenantId: string, endpointId: string) =>
  and(eq(callbackEndpoints.tenantId, tenantId), eq(callbackEndpoints.endpointId, endpointId));

export async function findCallbackEndpoint(tx: Transaction, call: CallOf<'NOT_FOUND'>, endpointId: string) {
  const [row] = await tx.select().from(callbackEndpoints).where(isEndpoint(call.tenantId, endpointId));
  if (!row) throw call.refuse('NOT_FOUND');
  return row;
}

/**
 * Locks an endpoint until the transaction ends: `update` to delete it, `no key update` to change it, `key share` to
 * create a subscription for it.
 */
export async function lockCallbackEndpoint(
  tx: Transaction,
  call: CallOf<'NOT_FOUND'>,
  endpointId: string,
  strength: 'update' | 'no key update' | 'key share',
) {
  const [row] = await tx.select().from(callbackEndpoints).where(isEndpoint(call.tenantId, endpointId)).for(strength);
  if (!row) throw call.refuse('NOT_FOUND');
  return row;
}
