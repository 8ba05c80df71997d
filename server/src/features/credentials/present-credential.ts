import type { credentials } from '../../platform/identity/credentials.table.js';
import type { Call } from '../../platform/operation/call.js';

type Row = typeof credentials.$inferSelect;

export const presentCredential = (row: Row, { admittedAt, requestId }: Call) => ({
  client_id: row.clientId,
  tenant_id: row.tenantId,
  name: row.name,
  status: row.status,
  allowed_clock_skew_seconds: row.allowedClockSkewSeconds,
  replay_window_seconds: row.replayWindowSeconds,
  secret_version: row.secretVersion,
  previous_secret_expires_at: stillAhead(row.previousSecretExpiresAt, admittedAt)?.toISOString() ?? null,
  expires_at: row.expiresAt?.toISOString() ?? null,
  last_used_at: row.lastUsedAt?.toISOString() ?? null,
  secret_last_used_at: row.secretLastUsedAt?.toISOString() ?? null,
  previous_secret_last_used_at:
    (stillAhead(row.previousSecretExpiresAt, admittedAt) && row.previousSecretLastUsedAt?.toISOString()) ?? null,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  request_id: requestId,
});

const stillAhead = (end: Date | null, now: Date) => (end && end > now ? end : null);
