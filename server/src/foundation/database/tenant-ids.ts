import { tenants } from '../tables.js';
import type { Database } from './database.js';
import { asAllTenants } from './row-level-security.js';

export async function readTenantIds(database: Database): Promise<string[]> {
  const { tenantId: id } = tenants;
  const rows = await asAllTenants(database, (tx) => tx.select({ id }).from(tenants).orderBy(id));
  return rows.map((row) => row.id);
}
