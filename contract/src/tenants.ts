import { z } from 'zod';
import { operations } from './operation.js';
import { Name, OpaqueObject, page, pageQuery, RequestId, TenantId, Timestamp, Vendors } from './primitives.js';

export const TenantStatus = z.enum(['ACTIVE', 'DISABLED', 'DELETING', 'DELETED']).meta({
  id: 'TenantStatus',
  description:
    "Only an ACTIVE tenant's credentials are admitted. DELETING: the platform is removing everything of the tenant. DELETED: only its id and its client ids are left, which are never free again. Both are final.",
});

/** The statuses that an administrator sets; the others follow from tenants.delete. */
const TenantStatusToSet = z.enum(['ACTIVE', 'DISABLED']).meta({
  id: 'TenantStatusToSet',
  description: "DISABLED refuses every request of the tenant's credentials from the next one on.",
});

const TenantDeletion = z
  .object({
    requested_at: Timestamp.describe('When the deletion was requested.'),
    rows_deleted: z.int().nonnegative().describe('How many rows of the tenant the database has lost so far.'),
    finished_at: Timestamp.nullable().describe('When nothing of the tenant was left; null before.'),
  })
  .describe('The progress of the deletion.');

const TenantVendors = Vendors.describe(
  'The vendors to which the tenant is limited: commands, the catalog and messaging-bus principals obey. null: every vendor that is enabled.',
);

const Tenant = z
  .object({
    tenant_id: TenantId,
    name: Name.describe('A name for people: 1 to 128 printable characters. Of a DELETED tenant, its id.'),
    status: TenantStatus,
    vendors: TenantVendors.nullable(),
    deletion: TenantDeletion.nullable().describe(
      'The progress of the deletion; null before tenants.delete. An addition.',
    ),
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
    status: TenantStatusToSet.optional().describe('ACTIVE by default.'),
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
    status: TenantStatusToSet.optional(),
    vendors: TenantVendors.nullable().optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one field')
  .meta({
    id: 'TenantUpdate',
    example: { name: 'Acme Fleet Europe' },
    moreExamples: { disable: { status: 'DISABLED' }, every_vendor: { vendors: null } },
  });

const path = z.object({ tenant_id: TenantId });

/** The kinds of items in an export, in its order. */
export const TenantExportType = z
  .enum([
    'tenant',
    'role',
    'credential',
    'role_binding',
    'policy',
    'bus_principal',
    'callback_endpoint',
    'callback_subscription',
    'object_credential',
    'object_resource',
    'object_grant',
    'command',
    'event',
    'device_request',
    'parked_message',
    'audit_event',
  ])
  .meta({ id: 'TenantExportType', description: 'What the item of an export is.' });

const TenantExportItem = z
  .object({
    type: TenantExportType,
    data: OpaqueObject.describe('The stored facts. Secrets, seals and hashes are left out.'),
  })
  .meta({
    id: 'TenantExportItem',
    example: {
      type: 'role_binding',
      data: {
        tenant_id: 'acme',
        client_id: 'acme-backend',
        role: 'integration_operator',
        created_at: '2026-01-31T09:30:00.000Z',
      },
    },
  });

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
  delete: {
    method: 'DELETE',
    path: '/api/v1/platform/tenants/:tenant_id',
    summary: 'Delete a tenant',
    description:
      'Removes everything of a DISABLED tenant, forever: its configuration, secrets, commands, events, device requests and audit log. The answer shows DELETING; the removal goes on in the background, and tenants.get shows its progress. The id of the tenant, its client ids and one entry in the audit log of tenant `platform` stay. A repetition changes nothing. Export the tenant first: tenants.export.',
    metadata: {
      scope: 'platform:tenant:delete',
      specified: false,
      tenant: 'platform',
      errors: ['TENANT_ID_RESERVED', 'TENANT_NOT_DISABLED'],
      successes: { 202: 'The tenant is DELETING, or DELETED already.' },
    },
    pathParams: path,
    query: z.strictObject({
      confirm: TenantId.describe('The tenant_id once more, so that no slip deletes another tenant.'),
    }),
    responses: { 202: Tenant },
  },
  export: {
    method: 'GET',
    path: '/api/v1/platform/tenants/:tenant_id/export',
    summary: 'Export a tenant',
    description:
      'Lists everything that the database keeps of a DISABLED tenant, except secrets: first its configuration, then commands, events, device requests, parked messages and the audit log, each in the order of its ids. The tenant must stay DISABLED until the last page.',
    metadata: {
      scope: 'platform:tenant:export',
      specified: false,
      tenant: 'platform',
      errors: ['TENANT_NOT_DISABLED'],
    },
    pathParams: path,
    query: z.strictObject(pageQuery),
    responses: { 200: page('TenantExportPage', TenantExportItem, 'one kind after the other') },
  },
});
