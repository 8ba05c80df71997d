import type { Scope } from '@tenant-open-platform/contract';
import type { policies } from '../../platform/identity/policies.table.js';
import type { Call } from '../../platform/operation/call.js';

/** A direct policy: its subject is a credential. */
export const presentPolicy = (row: typeof policies.$inferSelect, { requestId }: Call) => ({
  policy_id: row.policyId,
  client_id: row.clientId as string,
  scope: `${row.object}:${row.action}` as Scope,
  created_at: row.createdAt.toISOString(),
  request_id: requestId,
});
