import { tenants } from '../tables.js';
import type { Database } from './database.js';
import { asAllTenants } from './row-level-security.js';

export async function readTenantIds(database: Database): Promise<string[]> {
  const query = asAllTenants(database, (tx) =>
    tx.select({ id: tenants.tenantId }).from(tenants).orderBy(tenants.tenantId),
  );
  return (await query).map(({ id }) => id);
}
