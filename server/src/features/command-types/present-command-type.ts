import type { commandTypes } from './command-types.table.js';

export const presentCommandType = (row: typeof commandTypes.$inferSelect, requestId: string) => ({
  vendor: row.vendor,
  command_type: row.commandType,
  enabled: row.enabled,
  description: row.description,
  payload_schema: row.payloadSchema,
  revision: row.revision,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  request_id: requestId,
});
