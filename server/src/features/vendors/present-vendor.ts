import type { vendors } from './vendors.table.js';

export const presentVendor = (row: typeof vendors.$inferSelect, requestId: string) => ({
  vendor: row.vendor,
  enabled: row.enabled,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  request_id: requestId,
});
