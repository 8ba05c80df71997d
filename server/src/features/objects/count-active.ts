import { and, eq } from 'drizzle-orm';
import type { Transaction } from '../../platform/database/database.js';
import type { objectCredentials } from './object-credentials.table.js';
import type { objectResources } from './object-resources.table.js';

/** For refuseBeyondLimit. */
export const countActive =
  (tx: Transaction, table: typeof objectCredentials | typeof objectResources, tenantId: string) => () =>
    tx.$count(table, and(eq(table.tenantId, tenantId), eq(table.status, 'ACTIVE')));
