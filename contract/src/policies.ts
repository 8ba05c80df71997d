import { z } from 'zod';
import { operations } from './operation.js';
import { ClientId, page, pageQuery, RequestId, TenantId, Timestamp } from './primitives.js';
import { ScopeName, ScopeOfAnswer } from './roles.js';

const PolicyId = z.uuid().describe('Id of the policy: a UUID that the platform generates.');

const Policy = z
  .object({
    policy_id: PolicyId,
    client_id: ClientId,
    scope: ScopeOfAnswer.describe('Scope that the policy grants.'),
    created_at: Timestamp.describe('When the policy was created.'),
    request_id: RequestId,
  })
  .meta({
    id: 'Policy',
    example: {
      policy_id: '019bd3a4-5c4e-7b11-8a40-6f0e5d4c3b2a',
      client_id: 'demo',
      scope: 'open:device-request:create',
      created_at: '2026-01-31T09:30:00.000Z',
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

const PolicyCreate = z.strictObject({ client_id: ClientId, scope: ScopeName }).meta({
  id: 'PolicyCreate',
  example: { client_id: 'demo', scope: 'open:device-request:create' },
  moreExamples: { read_commands: { client_id: 'demo-dashboard', scope: 'open:command:read' } },
});

const PolicyDeleted = z
  .object({
    policy_id: PolicyId,
    deleted: z.literal(true).describe('Always true.'),
    request_id: RequestId,
  })
  .meta({
    id: 'PolicyDeleted',
    example: {
      policy_id: '019bd3a4-5c4e-7b11-8a40-6f0e5d4c3b2a',
      deleted: true,
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

const tenantPath = z.object({ tenant_id: TenantId });

export const policies = operations({
  create: {
    method: 'POST',
    path: '/api/v1/platform/tenants/:tenant_id/policies',
    summary: 'Grant one scope to a credential',
    description:
      'Grants one scope directly to a credential of the tenant, without a role. The caller can grant any open:* scope. The caller can grant a platform:* scope only if the caller has that scope.',
    metadata: {
      scope: 'platform:access:create',
      specified: false,
      tenant: 'path',
      errors: ['POLICY_ALREADY_EXISTS', 'RESOURCE_LIMIT_REACHED', 'SCOPE_UNKNOWN', 'CREDENTIAL_DELETED'],
      repeat: 'BY_HEADER',
    },
    pathParams: tenantPath,
    query: z.strictObject({}),
    body: PolicyCreate,
    responses: { 201: Policy },
  },
  list: {
    method: 'GET',
    path: '/api/v1/platform/tenants/:tenant_id/policies',
    summary: 'List policies',
    description:
      'Lists the scopes that are granted directly to credentials of the tenant, newest first. roles.list shows the scopes of roles.',
    metadata: {
      scope: 'platform:access:read',
      specified: false,
      tenant: 'path',
      errors: ['SCOPE_UNKNOWN'],
    },
    pathParams: tenantPath,
    query: z.strictObject({
      ...pageQuery,
      client_id: ClientId.optional().describe('Only policies of this credential.'),
      scope: ScopeName.optional().describe('Only policies that grant this scope.'),
    }),
    responses: { 200: page('PolicyPage', Policy) },
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/platform/tenants/:tenant_id/policies/:policy_id',
    summary: 'Delete a policy',
    description:
      'Deletes the policy. A change applies from the next request of the credential. The credential keeps the scope if one of its roles grants it.',
    metadata: {
      scope: 'platform:access:delete',
      specified: false,
      tenant: 'path',
      errors: [],
    },
    pathParams: z.object({ tenant_id: TenantId, policy_id: PolicyId }),
    query: z.strictObject({}),
    responses: { 200: PolicyDeleted },
  },
  revoke: {
    method: 'DELETE',
    path: '/api/v1/platform/tenants/:tenant_id/policies',
    summary: 'Delete a policy by credential and scope',
    description:
      'Deletes the policy that grants this scope to this credential. A change applies from the next request of the credential. The credential keeps the scope if one of its roles grants it.',
    metadata: {
      scope: 'platform:access:delete',
      specified: false,
      tenant: 'path',
      errors: ['SCOPE_UNKNOWN'],
    },
    pathParams: tenantPath,
    query: z.strictObject({ client_id: ClientId, scope: ScopeName }),
    responses: { 200: Policy },
  },
});
