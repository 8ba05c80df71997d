import { credentials } from '../../platform/identity/credentials.table.js';
import type { Call } from '../../platform/operation/call.js';
import { presenter, stillAhead } from '../../platform/operation/presenter.js';

const present = presenter(credentials, 'number');

export function presentCredential(row: typeof credentials.$inferSelect, call: Call) {
  const previousExpiresAt = stillAhead(row.previousSecretExpiresAt, call);
  const fields = present(row, call);
  return {
    ...fields,
    previous_secret_expires_at: previousExpiresAt,
    previous_secret_last_used_at: previousExpiresAt && fields.previous_secret_last_used_at,
  };
}
