import type { Facts, SecretChanges } from '../../platform/audit/changed-values.js';
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

/** As the audit log shows it. The query of a URL often holds a token, and the log keeps its entries for long. */
export const auditedCallbackEndpoint = (row: Row, call: Call): Facts => ({
  ...presentCallbackEndpoint(row, call),
  url: row.url.replace(/\?.+/, '?…'),
});

/** The log shows a change of the query without its value. */
export function changeOfQuery(before: string, after: string): SecretChanges {
  const [one, other] = [new URL(before).search, new URL(after).search];
  if (one === other) return {};
  return { url_query: one === '' ? 'set' : other === '' ? 'removed' : 'rotated' };
}

const stillAhead = (end: Date | null, now: Date) => (end && end > now ? end : null);
