import type { SecretChanges } from '../../platform/audit/changed-values.js';
import type { Call } from '../../platform/operation/call.js';
import { presenter, stillAhead } from '../../platform/operation/presenter.js';
import { callbackEndpoints } from './callback-endpoints.table.js';

type Row = typeof callbackEndpoints.$inferSelect;

const present = presenter(callbackEndpoints, 'tenantId');

export const presentCallbackEndpoint = (row: Row, call: Call) => ({
  ...present(row, call),
  previous_secret_expires_at: stillAhead(row.previousSecretExpiresAt, call),
});

/** As the audit log shows it. The query of a URL often holds a token, and the log keeps its entries for long. */
export const auditedCallbackEndpoint = (row: Row, call: Call) => ({
  ...presentCallbackEndpoint(row, call),
  url: row.url.replace(/\?.+/, '?…'),
});

/** The log shows a change of the query without its value. */
export function changeOfQuery(before: string, after: string): SecretChanges {
  const [one, other] = [new URL(before).search, new URL(after).search];
  if (one === other) return {};
  return { url_query: one === '' ? 'set' : other === '' ? 'removed' : 'rotated' };
}
