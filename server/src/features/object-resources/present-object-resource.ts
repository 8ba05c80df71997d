import type { objectResources } from './object-resources.table.js';

export const presentObjectResource = (row: typeof objectResources.$inferSelect, requestId: string) => ({
  resource_id: row.resourceId,
  name: row.name,
  credential_id: row.credentialId,
  bucket: row.bucket,
  allowed_operations: row.allowedOperations,
  key_prefix: row.keyPrefix,
  allowed_content_types: row.allowedContentTypes,
  max_object_bytes: row.maxObjectBytes,
  max_expires_in_seconds: row.maxExpiresInSeconds,
  status: row.status,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  request_id: requestId,
});
