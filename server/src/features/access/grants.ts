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

/** Those of some credentials: roles by name, then policies by scope. */
export function readGrants(tx: Transaction, grants: SQL, clientIds: string[]) {
  const holders = sql`array(select json_array_elements_text(${JSON.stringify(clientIds)}::text::json))`;
  return tx.execute<Grant>(
    sql`select * from ${grants} as held where held.client_id = any (${holders}) order by role, scope`,
  );
}

export const presentGrant = ({ client_id: _, created_at, ...grant }: Grant) => ({
  ...grant,
  created_at: new Date(created_at).toISOString(),
});

export const presentHolder = ({ clientId, status, expiresAt }: typeof credentials.$inferSelect) => ({
  client_id: clientId,
  status,
  expires_at: expiresAt?.toISOString() ?? null,
});
