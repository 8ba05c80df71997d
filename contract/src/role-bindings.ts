import { z } from 'zod';
import { operations } from './operation.js';
import { ClientId, page, pageQuery, RequestId, TenantId, Timestamp } from './primitives.js';
import { RoleName, ScopeName } from './roles.js';

const RoleBinding = z
  .object({
    client_id: ClientId,
    role: RoleName,
    created_at: Timestamp.describe('When the role was bound.'),
    request_id: RequestId,
  })
  .meta({
    id: 'RoleBinding',
    example: {
      client_id: 'demo',
      role: 'integration_reader',
      created_at: '2026-01-31T09:30:00.000Z',
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

const RoleBindingCreate = z.strictObject({ client_id: ClientId, role: RoleName }).meta({
  id: 'RoleBindingCreate',
  example: { client_id: 'demo', role: 'integration_reader' },
  moreExamples: { administrator: { client_id: 'demo-console', role: 'tenant_admin' } },
});

const RoleBindingDeleted = z
  .object({
    client_id: ClientId,
    role: RoleName,
    deleted: z.literal(true).describe('Always true.'),
    request_id: RequestId,
  })
  .meta({
    id: 'RoleBindingDeleted',
    example: {
      client_id: 'demo',
      role: 'integration_reader',
      deleted: true,
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

const tenantPath = z.object({ tenant_id: TenantId });

export const roleBindings = operations({
  create: {
    method: 'POST',
    path: '/api/v1/platform/tenants/:tenant_id/role-bindings',
    summary: 'Bind a credential to a role',
    description:
      'Grants the scopes of a role to a credential of the tenant. The caller can grant any open:* scope. The caller can grant a platform:* scope only if the caller has that scope.',
    metadata: {
      scope: 'platform:access:create',
      specified: false,
      tenant: 'path',
      errors: ['ROLE_BINDING_ALREADY_EXISTS', 'RESOURCE_LIMIT_REACHED', 'CREDENTIAL_DELETED'],
      repeat: 'BY_HEADER',
    },
    pathParams: tenantPath,
    query: z.strictObject({}),
    body: RoleBindingCreate,
    responses: { 201: RoleBinding },
  },
  list: {
    method: 'GET',
    path: '/api/v1/platform/tenants/:tenant_id/role-bindings',
    summary: 'List role bindings',
    description: 'Lists the role bindings of the tenant, newest first.',
    metadata: {
      scope: 'platform:access:read',
      specified: false,
      tenant: 'path',
      errors: ['SCOPE_UNKNOWN'],
    },
    pathParams: tenantPath,
    query: z.strictObject({
      ...pageQuery,
      client_id: ClientId.optional().describe('Only bindings of this credential.'),
      role: RoleName.optional().describe('Only bindings to this role.'),
      scope: ScopeName.optional().describe('Only bindings to roles that grant this scope.'),
    }),
    responses: { 200: page('RoleBindingPage', RoleBinding) },
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/platform/tenants/:tenant_id/role-bindings/:client_id/:role',
    summary: 'Remove a role from a credential',
    description: 'Removes the role from the credential. A change applies from the next request of the credential.',
    metadata: {
      scope: 'platform:access:delete',
      specified: false,
      tenant: 'path',
      errors: ['LAST_PLATFORM_ADMINISTRATOR'],
    },
    pathParams: z.object({ tenant_id: TenantId, client_id: ClientId, role: RoleName }),
    query: z.strictObject({}),
    responses: { 200: RoleBindingDeleted },
  },
});
