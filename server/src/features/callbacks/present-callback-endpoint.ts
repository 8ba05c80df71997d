import type { Call } from '../../platform/operation/call.js';
import type { callbackEndpoints } from './callback-endpoints.table.js';

type Row = typeof callbackEndpoints.$inferSelect;

export const presentCallbackEndpoint = (row: Row, { admittedAt, requestId }: Call) => ({
  endpoint_id: row.endpointId,
  name: row.name,
  url: row.url,
  status: row.status,
  timeout_seconds: row.timeoutSeconds,
  max_attempts: row.maxAttempts,
  secret_version: row.secretVersion,
  previous_secret_expires_at: stillAhead(row.previousSecretExpiresAt, admittedAt)?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  request_id: requestId,
});

const stillAhead = (end: Date | null, now: Date) => (end && end > now ? end : null);
