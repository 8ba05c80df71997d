import { and, eq } from 'drizzle-orm';
import type { Transaction } from '../../platform/database/database.js';
import { refuseBeyondLimit } from '../tenants/refuse-beyond-limit.js';
import { callbackEndpoints } from './callback-endpoints.table.js';

/** Before a transaction that makes one more endpoint of the tenant ACTIVE. */
export const refuseTooManyActive = (tx: Transaction, tenantId: string, limit: number) =>
  refuseBeyondLimit(
    tx,
    tenantId,
    () =>
      tx.$count(
        callbackEndpoints,
        and(eq(callbackEndpoints.tenantId, tenantId), eq(callbackEndpoints.status, 'ACTIVE')),
      ),
    limit,
  );
