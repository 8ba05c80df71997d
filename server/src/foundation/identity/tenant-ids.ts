import type { Database } from '../database/database.js';
import { asAllTenants } from '../database/row-level-security.js';
import { tenants } from './identity.table.js';

export async function readTenantIds(database: Database): Promise<string[]> {
  const query = asAllTenants(database, (tx) =>
    tx.select({ id: tenants.tenantId }).from(tenants).orderBy(tenants.tenantId),
  );
  return (await query).map(({ id }) => id);
}
