import type { busPrincipals } from './bus-principals.table.js';

export const presentBusPrincipal = (row: typeof busPrincipals.$inferSelect, requestId: string) => ({
  principal_id: row.principalId,
  tenant_id: row.tenantId,
  bus_user: row.busUser,
  bus_account_public_key: row.busAccountPublicKey,
  bus_user_public_key: row.busUserPublicKey,
  principal_type: row.principalType,
  client_id: row.clientId,
  service_name: row.serviceName,
  vendors: row.vendors,
  status: row.status,
  expires_at: row.expiresAt?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  request_id: requestId,
});
