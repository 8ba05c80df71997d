import { z } from 'zod';
import { operations } from './operation.js';
import { page, pageQuery, patterns, RequestId, TenantId } from './primitives.js';
import { scopes } from './scopes.js';

export const RoleName = z.string().regex(patterns.role).describe('The name of a role, for example `tenant_admin`.');

const Role = z
  .object({
    role: RoleName,
    scopes: z.array(z.enum(scopes)).describe('The permissions that a binding to the role grants.'),
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

export const roles = operations({
  list: {
    method: 'GET',
    path: '/api/v1/platform/tenants/:tenant_id/roles',
    summary: 'List roles',
    description: 'Lists the roles that credentials of the tenant can be bound to, and what each grants.',
    metadata: { scope: 'platform:access:read', specified: false },
    pathParams: z.object({ tenant_id: TenantId }),
    query: z.strictObject(pageQuery),
    responses: { 200: page('RolePage', Role) },
  },
});
