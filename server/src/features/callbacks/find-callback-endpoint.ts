import { and, eq } from 'drizzle-orm';
import type { Transaction } from '../../platform/database/database.js';
import { notFound } from '../../platform/http/api-error.js';
import { callbackEndpoints } from './callback-endpoints.table.js';

export const isEndpoint = (tenantId: string, endpointId: string) =>
  and(eq(callbackEndpoints.tenantId, tenantId), eq(callbackEndpoints.endpointId, endpointId));

/** An endpoint is never deleted: what is found here exists from now on. */
export async function findCallbackEndpoint(tx: Transaction, tenantId: string, endpointId: string) {
  const [row] = await tx.select().from(callbackEndpoints).where(isEndpoint(tenantId, endpointId));
  if (!row) throw notFound();
  return row;
}
