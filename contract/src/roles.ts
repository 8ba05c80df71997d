import { z } from 'zod';
import { operations } from './operation.js';
import { page, pageQuery, patterns, RequestId, TenantId } from './primitives.js';
import { scopes } from './scopes.js';

export const RoleName = z
  .string()
  .regex(patterns.role, 'must be 1 to 63 of the characters a-z 0-9 _ -, and not begin with _ or -')
  .describe('The name of a role, for example `tenant_admin`.');

/** Any well-formed name: an unknown scope is refused with SCOPE_UNKNOWN. */
export const ScopeName = z
  .string()
  .regex(/^[a-z-]{1,32}(:[a-z-]{1,32}){1,3}$/, 'must be a scope as object:action, such as open:command:read')
  .describe('A permission as object:action, for example `open:command:read`.')
  .meta({ 'x-known-values': 'Scope' });

export const ScopeOfAnswer = z
  .enum(scopes)
  .describe('A permission as object:action.')
  .meta({ id: 'Scope', example: 'open:command:read' });

const Role = z
  .object({
    role: RoleName,
    scopes: z.array(ScopeOfAnswer).describe('The permissions that a binding to the role grants.'),
    built_in: z.boolean().describe('True for the roles that every tenant has.'),
    request_id: RequestId,
  })
  .meta({
    id: 'Role',
    example: {
      role: 'integration_reader',
      scopes: ['open:command:read', 'open:device-request:read', 'open:event:read', 'open:catalog:read'],
      built_in: true,
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

const RolePut = z
  .strictObject({
    scopes: z
      .array(ScopeName)
      .max(scopes.length)
      .refine((names) => new Set(names).size === names.length, 'must not name a scope twice')
      .meta({ uniqueItems: true })
      .describe('All permissions of the role, each once. What is not named is no longer granted.'),
  })
  .meta({
    id: 'RolePut',
    example: { scopes: ['open:device-request:read', 'open:device-request:create'] },
    moreExamples: { observer: { scopes: ['open:command:read', 'open:event:read'] } },
  });

const RoleDeleted = z
  .object({ role: RoleName, deleted: z.literal(true).describe('Always true.'), request_id: RequestId })
  .meta({
    id: 'RoleDeleted',
    example: { role: 'replier', deleted: true, request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d' },
  });

const rolePath = z.object({ tenant_id: TenantId, role: RoleName });

export const roles = operations({
  list: {
    method: 'GET',
    path: '/api/v1/platform/tenants/:tenant_id/roles',
    summary: 'List roles',
    description:
      'Lists the roles that credentials of the tenant can be bound to, and what each grants: the built-in ones, then its own by name.',
    metadata: {
      scope: 'platform:access:read',
      specified: false,
      tenant: 'path',
      errors: [],
    },
    pathParams: z.object({ tenant_id: TenantId }),
    query: z.strictObject(pageQuery),
    responses: { 200: page('RolePage', Role) },
  },
  put: {
    method: 'PUT',
    path: '/api/v1/platform/tenants/:tenant_id/roles/:role',
    summary: "Create or replace a tenant's own role",
    description:
      'Makes a role of the tenant, or replaces what it grants, for every credential bound to it from its very next request on. The caller may put any open:* scope into it, and those platform:* scopes that it holds itself.',
    metadata: {
      scope: 'platform:access:update',
      specified: false,
      tenant: 'path',
      errors: ['ROLE_BUILT_IN', 'SCOPE_UNKNOWN', 'RESOURCE_LIMIT_REACHED'],
      repeat: 'ALWAYS',
    },
    pathParams: rolePath,
    query: z.strictObject({}),
    body: RolePut,
    responses: { 200: Role },
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/platform/tenants/:tenant_id/roles/:role',
    summary: "Delete a tenant's own role",
    description: 'Removes a role that no credential is bound to.',
    metadata: {
      scope: 'platform:access:delete',
      specified: false,
      tenant: 'path',
      errors: ['ROLE_BUILT_IN', 'ROLE_IN_USE'],
    },
    pathParams: rolePath,
    query: z.strictObject({}),
    responses: { 200: RoleDeleted },
  },
});
