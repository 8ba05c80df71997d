import type { tenants } from './tenants.table.js';

export const presentTenant = (row: typeof tenants.$inferSelect, requestId: string) => ({
  tenant_id: row.tenantId,
  name: row.name,
  status: row.status,
  vendors: row.vendors,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  request_id: requestId,
});
