import { z } from 'zod';
import { OperationName } from './audit-events.js';
import { CredentialStatus } from './credentials.js';
import { operations } from './operation.js';
import { ClientId, page, pageQuery, RequestId, TenantId, Timestamp } from './primitives.js';
import { RoleName, ScopeName, ScopeOfAnswer } from './roles.js';

const Grant = z
  .object({
    role: RoleName.nullable().describe('Role that a binding gives to the credential; null if this is a policy.'),
    policy_id: z.uuid().nullable().describe('Id of the policy; null if this is a role binding.'),
    scope: ScopeOfAnswer.nullable().describe('Scope of the policy; null if this is a role binding.'),
    created_at: Timestamp.describe('When the role was bound or the policy was created.'),
  })
  .meta({
    id: 'Grant',
    description: 'A role binding or a policy of a credential.',
    example: { role: 'integration_operator', policy_id: null, scope: null, created_at: '2026-01-31T09:30:00.000Z' },
  });

const holder = {
  client_id: ClientId,
  status: CredentialStatus.describe('Status of the credential. Only an ACTIVE credential can call operations.'),
  expires_at: Timestamp.nullable().describe('When the credential expires; null if it does not expire.'),
};

const Holder = z
  .object({
    ...holder,
    grants: z.array(Grant).describe('The role bindings and policies of the credential that match the filters.'),
    request_id: RequestId,
  })
  .meta({
    id: 'Holder',
    example: {
      client_id: 'demo',
      status: 'ACTIVE',
      expires_at: null,
      grants: [{ role: 'integration_operator', policy_id: null, scope: null, created_at: '2026-01-31T09:30:00.000Z' }],
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

const AccessReason = z.enum(['GRANTED', 'NO_SCOPE_NEEDED', 'SCOPE_MISSING', 'TENANT_PLATFORM_ONLY']).meta({
  id: 'AccessReason',
  description:
    'GRANTED: a role binding or a policy grants the scope. NO_SCOPE_NEEDED: every credential can call the operation. SCOPE_MISSING: no role binding and no policy grants the scope. TENANT_PLATFORM_ONLY: only credentials of the tenant `platform` can call the operation.',
});

const AccessExplanation = z
  .object({
    ...holder,
    operation: OperationName,
    scope: ScopeOfAnswer.nullable().describe('Scope that the operation needs; null if it needs none.'),
    granted: z
      .boolean()
      .describe(
        'Whether the credential may call the operation on its own tenant. If false, the platform refuses the call with FORBIDDEN. If the credential has expired or is not ACTIVE, the platform refuses every call with UNAUTHENTICATED, even if `granted` is true.',
      ),
    reason: AccessReason,
    grants: z.array(Grant).describe('The role bindings and policies of the credential that grant the scope.'),
    granting_roles: z
      .array(RoleName)
      .describe(
        'Roles of the tenant that grant the scope: the built-in roles from the most to the least powerful, then the custom roles by name.',
      ),
    request_id: RequestId,
  })
  .meta({
    id: 'AccessExplanation',
    example: {
      client_id: 'demo',
      status: 'ACTIVE',
      expires_at: null,
      operation: 'commands.create',
      scope: 'open:command:create',
      granted: true,
      reason: 'GRANTED',
      grants: [{ role: 'integration_operator', policy_id: null, scope: null, created_at: '2026-01-31T09:30:00.000Z' }],
      granting_roles: ['integration_operator'],
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

export const access = operations({
  explain: {
    method: 'GET',
    path: '/api/v1/platform/tenants/:tenant_id/access/:client_id',
    summary: 'Explain the access of a credential',
    description:
      'Returns whether a credential of the tenant can call an operation, and which role bindings and policies of the credential grant the scope of the operation. granting_roles lists the roles of the tenant that grant the scope. Even if `granted` is true, the credential cannot grant or revoke a platform:* scope that it does not have. It also cannot change a credential that has such a scope.',
    metadata: { scope: 'platform:access:read', specified: false, tenant: 'path', errors: [] },
    pathParams: z.object({ tenant_id: TenantId, client_id: ClientId }),
    query: z.strictObject({
      operation: OperationName.describe('Operation id, for example `commands.create`.'),
    }),
    responses: { 200: AccessExplanation },
  },
  list: {
    method: 'GET',
    path: '/api/v1/platform/tenants/:tenant_id/access',
    summary: 'List credentials with their access',
    description:
      'Lists the credentials of the tenant that have a role binding or a policy, the newest credential first. With `scope`: only credentials that have this scope, by a role or by a policy. With `role`: only credentials with this role. `limit` counts credentials. Each credential has all its role bindings and policies that match.',
    metadata: { scope: 'platform:access:read', specified: false, tenant: 'path', errors: ['SCOPE_UNKNOWN'] },
    pathParams: z.object({ tenant_id: TenantId }),
    query: z.strictObject({
      ...pageQuery,
      scope: ScopeName.optional().describe('Only role bindings and policies that grant this scope.'),
      role: RoleName.optional().describe('Only bindings to this role.'),
    }),
    responses: { 200: page('HolderPage', Holder) },
  },
});
