import { z } from 'zod';
import { operations } from './operation.js';
import {
  Name,
  OpaqueObject,
  page,
  pageQuery,
  queryList,
  RequestId,
  RequestsPerMinute,
  TenantId,
  Timestamp,
  Vendors,
} from './primitives.js';

export const TenantStatus = z.enum(['ACTIVE', 'DISABLED', 'MOVING', 'MOVED', 'DELETING', 'DELETED']).meta({
  id: 'TenantStatus',
  description:
    'ACTIVE: the credentials of the tenant can sign requests. DISABLED: the platform refuses all requests of the tenant. MOVING: its requests get 503 until the operator has moved it. MOVED: it is at `moved_to`. DELETING: the platform is deleting the data of the tenant. DELETED: the data of the tenant is deleted. Its tenant_id and its client ids can never be used again. A deletion cannot be undone.',
});

/** The statuses that an administrator sets; the others follow from tenants.delete and from a move by the operator. */
const TenantStatusToSet = z.enum(['ACTIVE', 'DISABLED']).meta({
  id: 'TenantStatusToSet',
  description:
    'ACTIVE: the credentials of the tenant can sign requests. DISABLED: the platform refuses all requests of the tenant. A change applies from the next request of the tenant.',
});

const TenantDeletion = z
  .object({
    requested_at: Timestamp.describe('When the deletion was requested.'),
    rows_deleted: z.int().nonnegative().describe('Number of rows deleted so far.'),
    finished_at: Timestamp.nullable().describe('When the deletion finished; null until then.'),
  })
  .describe('Progress of the deletion.');

const TenantVendors = Vendors.describe(
  'Vendors that the tenant can use. The list applies to commands, to catalog.get and to messaging-bus principals. null: every enabled vendor.',
);

const TenantRequestsPerMinute = RequestsPerMinute.describe(
  'Maximum number of requests of all credentials of the tenant together, per minute and per server instance: 1 to 1000000000. null: the default of the platform, which the operator sets with REQUESTS_PER_MINUTE_PER_TENANT. me.get returns the limit in effect. A change applies from the next request of the tenant.',
);

const example = {
  tenant_id: 'demo',
  name: 'Demo',
  status: 'ACTIVE',
  vendors: null,
  requests_per_minute: null,
  deletion: null,
  moved_to: null,
  created_at: '2026-01-31T09:30:00.000Z',
  updated_at: '2026-01-31T09:30:00.000Z',
  request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
};

const Tenant = z
  .object({
    tenant_id: TenantId,
    name: Name.describe('Display name: 1 to 128 printable characters. The name of a DELETED tenant is its tenant_id.'),
    status: TenantStatus,
    vendors: TenantVendors.nullable(),
    requests_per_minute: TenantRequestsPerMinute,
    deletion: TenantDeletion.nullable().describe('Progress of the deletion; null until it begins.'),
    moved_to: z.url().nullable().optional().describe('Address of the platform of a MOVED tenant; otherwise null.'),
    created_at: Timestamp.describe('When the tenant was created.'),
    updated_at: Timestamp.describe('When the tenant was last changed.'),
    request_id: RequestId,
  })
  .meta({ id: 'Tenant', example });

const TenantCreate = z
  .strictObject({
    tenant_id: TenantId,
    name: Name,
    status: TenantStatusToSet.optional().describe('ACTIVE by default.'),
    vendors: TenantVendors.nullable().optional(),
    requests_per_minute: TenantRequestsPerMinute.optional(),
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
    requests_per_minute: TenantRequestsPerMinute.optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one field')
  .meta({
    id: 'TenantUpdate',
    example: { name: 'Demo Fleet' },
    moreExamples: {
      disable: { status: 'DISABLED' },
      every_vendor: { vendors: null },
      larger_quota: { requests_per_minute: 600_000 },
    },
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
  .meta({ id: 'TenantExportType', description: 'Type of the exported item.' });

const TenantExportItem = z
  .object({
    type: TenantExportType,
    data: OpaqueObject.describe('Stored fields of the item, without secrets, encrypted values and hashes.'),
  })
  .meta({
    id: 'TenantExportItem',
    example: {
      type: 'role_binding',
      data: {
        tenant_id: 'demo',
        client_id: 'demo',
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
    description: 'Creates a tenant. Create its first credential with credentials.create.',
    metadata: {
      scope: 'platform:tenant:create',
      specified: false,
      tenant: 'platform',
      errors: ['TENANT_ALREADY_EXISTS', 'TENANT_ID_RESERVED', 'RESOURCE_LIMIT_REACHED', 'NOT_FOUND'],
      repeat: 'BY_HEADER',
      examples: { 201: { ...example, tenant_id: 'acme', name: 'Acme Fleet' } },
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
    query: z.strictObject({
      ...pageQuery,
      status: queryList(TenantStatus).optional().describe('Only tenants with one of these statuses.'),
    }),
    responses: { 200: page('TenantPage', Tenant) },
  },
  get: {
    method: 'GET',
    path: '/api/v1/platform/tenants/:tenant_id',
    summary: 'Get a tenant',
    description: 'Returns one tenant. A tenant administrator can read only its own tenant.',
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
    description: 'Updates only the fields in the body. A change applies from the next request of the tenant.',
    metadata: {
      scope: 'platform:tenant:update',
      specified: false,
      tenant: 'platform',
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
      'Permanently deletes the data of a DISABLED tenant: configuration, secrets, commands, events, device requests, parked messages and audit log. The response has the status DELETING. The platform deletes the data in the background; tenants.get shows the progress. The tenant_id and the client ids remain, and can never be used again. The audit event of the deletion remains in the log of the tenant `platform`. The audit event of the creation is deleted. Logs of other tenants do not change. A repeated request changes nothing. Export the tenant first, with tenants.export.',
    metadata: {
      scope: 'platform:tenant:delete',
      specified: false,
      tenant: 'platform',
      errors: ['TENANT_ID_RESERVED', 'TENANT_NOT_DISABLED'],
      successes: { 202: 'The tenant is DELETING or already DELETED.' },
      examples: {
        202: {
          ...example,
          status: 'DELETING',
          deletion: { requested_at: '2026-01-31T09:45:00.000Z', rows_deleted: 0, finished_at: null },
          updated_at: '2026-01-31T09:45:00.000Z',
        },
      },
    },
    pathParams: path,
    query: z.strictObject({
      confirm: TenantId.describe('Repeat the tenant_id to confirm.'),
    }),
    responses: { 202: Tenant },
  },
  export: {
    method: 'GET',
    path: '/api/v1/platform/tenants/:tenant_id/export',
    summary: 'Export a tenant',
    description:
      'Lists all stored data of a DISABLED tenant, except secrets. The order is: configuration, commands, events, device requests, parked messages, audit log. Items of one type are in the order of their ids. Keep the tenant DISABLED until you have read the last page.',
    metadata: {
      scope: 'platform:tenant:export',
      specified: false,
      tenant: 'platform',
      errors: ['TENANT_NOT_DISABLED'],
    },
    pathParams: path,
    query: z.strictObject(pageQuery),
    responses: { 200: page('TenantExportPage', TenantExportItem, 'one type after the other') },
  },
});
