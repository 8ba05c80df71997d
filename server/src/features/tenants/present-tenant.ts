import type { tenants } from '../../platform/identity/tenants.table.js';

export const presentTenant = (row: typeof tenants.$inferSelect, requestId: string) => ({
  tenant_id: row.tenantId,
  name: row.name,
  status: row.status,
  vendors: row.vendors,
  deletion: row.deletion && {
    requested_at: row.deletion.requested_at,
    rows_deleted: row.deletion.rows_deleted,
    finished_at: row.deletion.finished_at,
  },
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  request_id: requestId,
});
