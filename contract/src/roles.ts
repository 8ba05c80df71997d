import { z } from 'zod';
import { operations } from './operation.js';
import { page, pageQuery, patterns, RequestId, TenantId } from './primitives.js';
import { scopes } from './scopes.js';

export const RoleName = z
  .string()
  .regex(patterns.role, 'must be 1 to 63 of the characters a-z 0-9 _ -, and not begin with _ or -')
  .describe('Name of the role, for example `command_reader`.');

const scopeDescription =
  'Scope in the form object:action. For example, `open:command:read` has the object `open:command` and the action `read`.';

/** Any well-formed name: an unknown scope is refused with SCOPE_UNKNOWN. */
export const ScopeName = z
  .string()
  .regex(/^[a-z-]{1,32}(:[a-z-]{1,32}){1,3}$/, 'must be a scope as object:action, such as open:command:read')
  .describe(scopeDescription)
  .meta({ 'x-known-values': 'Scope' });

export const ScopeOfAnswer = z
  .enum(scopes)
  .describe(scopeDescription)
  .meta({ id: 'Scope', example: 'open:command:read' });

const Role = z
  .object({
    role: RoleName,
    scopes: z.array(ScopeOfAnswer).describe('Scopes that the role grants.'),
    built_in: z.boolean().describe('true for a built-in role, false for a custom role of the tenant.'),
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
      .describe('All scopes of the role, without duplicates. A scope that is missing here is revoked.'),
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
      'Lists the roles of the tenant with their scopes: first the built-in roles, then the custom roles by name.',
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
    summary: 'Create or replace a custom role',
    description:
      'Creates a custom role of the tenant, or replaces its scopes. A change applies from the next request of every credential with this role. The caller can grant any open:* scope. The caller can grant a platform:* scope only if the caller has that scope.',
    metadata: {
      scope: 'platform:access:update',
      specified: false,
      tenant: 'path',
      errors: ['ROLE_BUILT_IN', 'SCOPE_UNKNOWN', 'RESOURCE_LIMIT_REACHED'],
      repeat: 'ALWAYS',
      examples: {
        200: {
          role: 'replier',
          scopes: ['open:device-request:read', 'open:device-request:create'],
          built_in: false,
          request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
        },
      },
    },
    pathParams: rolePath,
    query: z.strictObject({}),
    body: RolePut,
    responses: { 200: Role },
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/platform/tenants/:tenant_id/roles/:role',
    summary: 'Delete a custom role',
    description: 'Deletes a custom role. A role with bindings cannot be deleted.',
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
