import type { objectCredentials } from './object-credentials.table.js';

export const presentObjectCredential = (row: typeof objectCredentials.$inferSelect, requestId: string) => ({
  credential_id: row.credentialId,
  name: row.name,
  provider: row.provider,
  endpoint: row.endpoint,
  region: row.region,
  force_path_style: row.forcePathStyle,
  access_key_id: row.accessKeyId,
  secret_version: row.secretVersion,
  status: row.status,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  request_id: requestId,
});
