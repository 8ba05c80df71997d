import type { roleBindings } from '../../platform/identity/role-bindings.table.js';

export const presentRoleBinding = (row: typeof roleBindings.$inferSelect, requestId: string) => ({
  client_id: row.clientId,
  role: row.role,
  created_at: row.createdAt.toISOString(),
  request_id: requestId,
});
