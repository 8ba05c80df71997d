import { z } from 'zod';
import { operations } from './operation.js';
import { Name, page, pageQuery, RequestId, TenantId, Timestamp, Vendors } from './primitives.js';

export const TenantStatus = z.enum(['ACTIVE', 'DISABLED']).meta({
  id: 'TenantStatus',
  description: "DISABLED refuses every request of the tenant's credentials from the next one on.",
});

const TenantVendors = Vendors.describe(
  'The vendors to which the tenant is limited: commands, the catalog and messaging-bus principals obey. null: every vendor that is enabled.',
);

const Tenant = z
  .object({
    tenant_id: TenantId,
    name: Name,
    status: TenantStatus,
    vendors: TenantVendors.nullable(),
    created_at: Timestamp.describe('When the tenant was created.'),
    updated_at: Timestamp.describe('When the tenant was last changed.'),
    request_id: RequestId,
  })
  .meta({
    id: 'Tenant',
    example: {
      tenant_id: 'acme',
      name: 'Acme Fleet',
      status: 'ACTIVE',
      vendors: null,
      created_at: '2026-01-31T09:30:00.000Z',
      updated_at: '2026-01-31T09:30:00.000Z',
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

const TenantCreate = z
  .strictObject({
    tenant_id: TenantId,
    name: Name,
    status: TenantStatus.optional().describe('ACTIVE by default.'),
    vendors: TenantVendors.nullable().optional(),
  })
  .meta({
    id: 'TenantCreate',
    example: { tenant_id: 'acme', name: 'Acme Fleet' },
    moreExamples: { one_vendor: { tenant_id: 'globex', name: 'Globex', vendors: ['vendor_a'] } },
  });

const TenantUpdate = z
  .strictObject({
    name: Name.optional(),
    status: TenantStatus.optional(),
    vendors: TenantVendors.nullable().optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one field')
  .meta({
    id: 'TenantUpdate',
    example: { name: 'Acme Fleet Europe' },
    moreExamples: { disable: { status: 'DISABLED' }, every_vendor: { vendors: null } },
  });

const path = z.object({ tenant_id: TenantId });

export const tenants = operations({
  create: {
    method: 'POST',
    path: '/api/v1/platform/tenants',
    summary: 'Create a tenant',
    description: 'Creates a tenant. Its first credential is made with credentials.create.',
    metadata: {
      scope: 'platform:tenant:create',
      specified: false,
      tenant: 'platform',
      errors: ['TENANT_ALREADY_EXISTS', 'TENANT_ID_RESERVED', 'RESOURCE_LIMIT_REACHED', 'NOT_FOUND'],
      repeat: { check: 'see with tenants.get whether the tenant exists before you create it again.' },
    },
    query: z.strictObject({}),
    body: TenantCreate,
    responses: { 201: Tenant },
  },
  list: {
    method: 'GET',
    path: '/api/v1/platform/tenants',
    summary: 'List tenants',
    description: 'Lists all tenants, newest first.',
    metadata: {
      scope: 'platform:tenant:read',
      specified: false,
      tenant: 'platform',
      errors: [],
    },
    query: z.strictObject(pageQuery),
    responses: { 200: page('TenantPage', Tenant) },
  },
  get: {
    method: 'GET',
    path: '/api/v1/platform/tenants/:tenant_id',
    summary: 'Get a tenant',
    description: 'Reads one tenant. A tenant administrator reads its own.',
    metadata: {
      scope: 'platform:tenant:read',
      specified: false,
      tenant: 'path',
      errors: [],
    },
    pathParams: path,
    query: z.strictObject({}),
    responses: { 200: Tenant },
  },
  update: {
    method: 'PUT',
    path: '/api/v1/platform/tenants/:tenant_id',
    summary: 'Update a tenant',
    description: 'Changes the fields that the body names and leaves the others.',
    metadata: {
      scope: 'platform:tenant:update',
      specified: false,
      tenant: 'path',
      errors: ['TENANT_ID_RESERVED'],
      repeat: 'ALWAYS',
    },
    pathParams: path,
    query: z.strictObject({}),
    body: TenantUpdate,
    responses: { 200: Tenant },
  },
});
