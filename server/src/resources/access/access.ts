import { allOperations, contract, type Scope } from '@tenant-open-platform/contract';
import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm';
import { invalidValue } from '../../foundation/api-error.js';
import type { Transaction } from '../../foundation/database/database.js';
import { credentials, isOfScope, policies } from '../../foundation/tables.js';
import { mayCall } from '../../gateway/auth/admission.js';
import type { Handler } from '../handlers.js';
import { newestFirst } from '../lists.js';
import { builtInRolesOf, grantsOfScope, readScopes } from '../roles/granting.js';
import { presenter, readRow } from '../rows.js';

export const explain: Handler<'access.explain'> = async ({ params, query }, call) => {
  const { tenantId } = call;
  const operation = allOperations.find(({ name }) => name === query.operation);
  if (!operation) throw invalidValue('query/operation', 'is not an operation id');
  const { scope } = operation.route.metadata;
  return call.asTenant(async (tx) => {
    const credential = await readRow(tx, call, credentials, params);
    const grants = scope ? await readGrants(tx, grantsOfScope(tenantId, scope), [credential.clientId]) : [];
    const granted = mayCall(operation, tenantId, grants.length > 0);
    const why = scope ? 'GRANTED' : 'NO_SCOPE_NEEDED';
    const whyNot = mayCall(operation, tenantId, true) ? 'SCOPE_MISSING' : 'TENANT_PLATFORM_ONLY';
    return {
      status: 200,
      body: {
        ...presentHolder(credential, call),
        operation: operation.name,
        scope,
        granted,
        reason: granted ? why : whyNot,
        grants: grants.map(presentGrant),
        granting_roles: scope ? await grantingRoles(tx, tenantId, scope) : [],
      },
    };
  });
};

async function grantingRoles(tx: Transaction, tenantId: string, scope: Scope): Promise<string[]> {
  const builtIn = builtInRolesOf(tenantId).flatMap(([role, scopes]) => (scopes.includes(scope) ? [role] : []));
  const custom = await tx
    .select({ role: policies.role })
    .from(policies)
    .where(and(eq(policies.tenantId, tenantId), isNotNull(policies.role), isOfScope(scope)))
    .orderBy(policies.role);
  return [...builtIn, ...custom.flatMap(({ role }) => role ?? [])];
}

export const list: Handler<'access.list'> = async ({ query }, call) => {
  const { tenantId } = call;
  const { role } = query;
  const [scope] = readScopes(call, query.scope, 'query/scope');
  const all = scope === undefined ? allGrants(tenantId) : grantsOfScope(tenantId, scope);
  const grants = role === undefined ? all : sql`(select * from ${all} as one where one.role = ${role})`;
  const { body } = await newestFirst(call, query, {
    table: credentials,
    order: ['createdAt', 'clientId'],
    filters: sql`exists (select from ${grants} as held where held.client_id = ${credentials.clientId} offset 0)`,
    present: presentHolder,
  });
  const clientIds = body.items.map(({ client_id }) => client_id);
  const held = await call.asTenant((tx) => readGrants(tx, grants, clientIds));
  const items = body.items.flatMap((holder) => {
    const own = held.filter(({ client_id }) => client_id === holder.client_id).map(presentGrant);
    // None is left if all were revoked after the first statement.
    return own.length > 0 ? [{ ...holder, grants: own }] : [];
  });
  return { status: 200, body: { ...body, items } };
};

/** All role bindings and policies of a tenant. */
const allGrants = (tenantId: string): SQL => sql`(
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
const readGrants = (tx: Transaction, grants: SQL, clientIds: string[]) =>
  tx.execute<Grant>(sql`
    select held.* from json_array_elements_text(${JSON.stringify(clientIds)}::text::json) as asked (client_id)
    cross join lateral (select * from ${grants} as one where one.client_id = asked.client_id offset 0) as held
    order by role, scope`);

const presentGrant = ({ client_id: _, created_at, ...grant }: Grant) => ({
  ...grant,
  created_at: new Date(created_at).toISOString(),
});

const presentHolder = presenter(credentials, contract.access.list.responses[200].shape.items.element);
