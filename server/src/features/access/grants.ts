import { objectAndAction, type Scope } from '@tenant-open-platform/contract';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../../platform/database/database.js';
import type { credentials } from '../../platform/identity/credentials.table.js';
import { rolesThatGrant } from '../../platform/operation/find-operation.js';

/** The role bindings and policies of a tenant that grant the scope, by the rule of admission. */
export function grantsOfScope(tenantId: string, scope: Scope): SQL {
  const { object, action } = objectAndAction(scope);
  return sql`grants_v1(${tenantId}, ${object}, ${action}, ${rolesThatGrant(scope).join()})`;
}

/** All role bindings and policies of a tenant. */
export const allGrants = (tenantId: string): SQL => sql`(
  select client_id, role, null::uuid as policy_id, null as scope, created_at from role_bindings
  where tenant_id = ${tenantId}
  union all
  select client_id, null, policy_id, object || ':' || action, created_at from policies
  where tenant_id = ${tenantId} and client_id is not null
)`;

type Grant = {
  client_id: string;
  role: string | null;
  policy_id: string | null;
  scope: Scope | null;
  created_at: string;
};

/**
 * The grants of these credentials: first roles by name, then policies by scope. `offset 0` makes Postgres find the grants
 * of each credential by an index.
 */
export const readGrants = (tx: Transaction, grants: SQL, clientIds: string[]) =>
  tx.execute<Grant>(sql`
    select held.* from json_array_elements_text(${JSON.stringify(clientIds)}::text::json) as asked (client_id)
    cross join lateral (select * from ${grants} as one where one.client_id = asked.client_id offset 0) as held
    order by role, scope`);

export const presentGrant = ({ client_id: _, created_at, ...grant }: Grant) => ({
  ...grant,
  created_at: new Date(created_at).toISOString(),
});

export const presentHolder = ({ clientId, status, expiresAt }: typeof credentials.$inferSelect) => ({
  client_id: clientId,
  status,
  expires_at: expiresAt?.toISOString() ?? null,
});
