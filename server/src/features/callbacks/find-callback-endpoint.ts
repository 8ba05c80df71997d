import { and, eq } from 'drizzle-orm';
import type { Transaction } from '../../platform/database/database.js';
import { notFound } from '../../platform/operation/api-error.js';
import { callbackEndpoints } from './callback-endpoints.table.js';

export const isEndpoint = (tenantId: string, endpointId: string) =>
  and(eq(callbackEndpoints.tenantId, tenantId), eq(callbackEndpoints.endpointId, endpointId));

export async function findCallbackEndpoint(tx: Transaction, tenantId: string, endpointId: string) {
  const [row] = await tx.select().from(callbackEndpoints).where(isEndpoint(tenantId, endpointId));
  if (!row) throw notFound();
  return row;
}

/**
 * Locks an endpoint until the transaction ends: `update` to delete it, `no key update` to change it, `key share` to
 * create a subscription for it.
 */
export async function lockCallbackEndpoint(
  tx: Transaction,
  tenantId: string,
  endpointId: string,
  strength: 'update' | 'no key update' | 'key share',
) {
  const [row] = await tx.select().from(callbackEndpoints).where(isEndpoint(tenantId, endpointId)).for(strength);
  if (!row) throw notFound();
  return row;
}
