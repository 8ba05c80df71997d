import { z } from 'zod';
import { operations } from './operation.js';
import { Name, page, pageQuery, RequestId, TenantId, Timestamp, Vendors } from './primitives.js';

export const TenantStatus = z
  .enum(['ACTIVE', 'DISABLED', 'DELETING', 'DELETED'])
  .describe(
    "Any status but ACTIVE refuses every request of the tenant's credentials from the next one on. DELETING: its data is being deleted. DELETED: all of it is gone; the tenant_id stays taken.",
  );

const ChosenStatus = TenantStatus.extract(['ACTIVE', 'DISABLED']).describe(
  "DISABLED refuses every request of the tenant's credentials from the next one on.",
);

const TenantDeletion = z
  .object({
    requested_at: Timestamp.describe('When the deletion was requested.'),
    deleted_rows: z.number().int().describe('How many rows of the tenant are deleted so far.'),
  })
  .describe('How far the deletion of the tenant has come; null if nobody has requested one.');

const TenantVendors = Vendors.describe(
  'The vendors to which the tenant is limited: commands, the catalog and messaging-bus principals obey. null: every vendor that is enabled.',
);

const Tenant = z
  .object({
    tenant_id: TenantId,
    name: Name,
    status: TenantStatus,
    vendors: TenantVendors.nullable(),
    deletion: TenantDeletion.nullable(),
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
      deletion: null,
      created_at: '2026-01-31T09:30:00.000Z',
      updated_at: '2026-01-31T09:30:00.000Z',
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

const TenantCreate = z
  .strictObject({
    tenant_id: TenantId,
    name: Name,
    status: ChosenStatus.optional().describe('ACTIVE by default.'),
    vendors: TenantVendors.nullable().optional(),
  })
  .meta({ id: 'TenantCreate', example: { tenant_id: 'acme', name: 'Acme Fleet' } });

const TenantUpdate = z
  .strictObject({
    name: Name.optional(),
    status: ChosenStatus.optional(),
    vendors: TenantVendors.nullable().optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one field')
  .meta({ id: 'TenantUpdate', example: { name: 'Acme Fleet Europe' } });

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
      errors: ['TENANT_ID_RESERVED', 'TENANT_DELETED'],
      repeat: 'ALWAYS',
    },
    pathParams: path,
    query: z.strictObject({}),
    body: TenantUpdate,
    responses: { 200: Tenant },
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/platform/tenants/:tenant_id',
    summary: 'Delete a tenant',
    description:
      'Deletes all data of a DISABLED tenant, in the background and for ever: `status` and `deletion` of tenants.get show how far it is. What stays is the tenant_id and the client ids, so that nobody gets them again, and one entry in the audit log of tenant `platform`. Export the tenant first.',
    metadata: {
      scope: 'platform:tenant:delete',
      specified: false,
      tenant: 'path',
      errors: ['TENANT_ID_RESERVED', 'TENANT_NOT_DISABLED', 'TENANT_DELETED'],
      successes: { 202: 'The deletion has begun.' },
    },
    pathParams: path,
    query: z.strictObject({
      confirm: TenantId.describe('The tenant_id once more, so that nobody deletes another tenant by mistake.'),
    }),
    responses: { 202: Tenant },
  },
});
