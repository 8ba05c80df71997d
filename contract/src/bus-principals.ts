import { z } from 'zod';
import { operations } from './operation.js';
import { ClientId, InputTimestamp, page, pageQuery, RequestId, TenantId, Timestamp, Vendors } from './primitives.js';

const PrincipalId = z.uuid().describe('Id of the principal: a UUID that the platform generates.');

export const PrincipalStatus = z.enum(['ACTIVE', 'DISABLED', 'DELETED']).meta({
  id: 'BusPrincipalStatus',
  description:
    'ACTIVE: can connect to the bus. DISABLED: cannot connect until the status is ACTIVE again. DELETED: final; the user key cannot be used again until the tenant is deleted. To replace a CLIENT principal, create the new one before you delete the old one: events that are logged while the tenant has none are not published.',
});

export const PrincipalType = z.enum(['SERVICE', 'CLIENT']).meta({
  id: 'BusPrincipalType',
  description:
    'SERVICE: an adapter, which delivers commands to devices. CLIENT: a reader of the events of the tenant. The platform publishes events on the bus only for tenants with a CLIENT principal that is not DELETED.',
});

const BusName = z.string().regex(/^[\x21-\x7E]{1,128}$/, 'must be 1 to 128 visible ASCII characters without spaces');
const BusUser = BusName.describe('Name of the user on the bus: 1 to 128 visible ASCII characters without spaces.');
const ServiceName = BusName.describe(
  'Name of the service that uses the principal: 1 to 128 visible ASCII characters without spaces.',
);

/** Accepts any text, so that a wrong key is refused as such and a validation error never quotes a seed. */
const BusKey = z.string().min(1).max(256);
const BusAccountPublicKey = BusKey.describe(
  'Public nkey of the NATS account: 56 characters, beginning with A. An account belongs to one tenant.',
);
const BusUserPublicKey = BusKey.describe(
  'Public nkey of the NATS user: 56 characters, beginning with U. The user key of a DELETED principal cannot be registered again until its tenant is deleted.',
);

const PrincipalVendors = Vendors.describe(
  'Vendors that a SERVICE principal serves. It can read, acknowledge and publish only messages of these vendors. null: all vendors of its tenant.',
);

const BusPrincipal = z
  .object({
    principal_id: PrincipalId,
    tenant_id: TenantId,
    bus_user: BusUser,
    bus_account_public_key: BusAccountPublicKey,
    bus_user_public_key: BusUserPublicKey,
    principal_type: PrincipalType,
    client_id: ClientId.nullable().describe('Credential that the principal belongs to; null if there is none.'),
    service_name: ServiceName.nullable().describe(
      'Name of the service that uses the principal; null if there is none.',
    ),
    vendors: PrincipalVendors.nullable(),
    status: PrincipalStatus,
    expires_at: Timestamp.nullable().describe('When the principal expires; null if it does not expire.'),
    problem: z
      .string()
      .nullable()
      .describe(
        'What is wrong with the principal on the bus; null if there is no problem. NATS refuses to keep messages for it, for example because of a limit; or a principal of tenant `platform` serves the same vendor, so that each command is executed twice. The platform looks again every minute.',
      ),
    created_at: Timestamp.describe('When the principal was created.'),
    updated_at: Timestamp.describe('When the principal was last changed.'),
    request_id: RequestId,
  })
  .meta({
    id: 'BusPrincipal',
    example: {
      principal_id: '019bd3a4-5c4e-7d22-9b51-7a1b2c3d4e5f',
      tenant_id: 'demo',
      bus_user: 'demo-adapter',
      bus_account_public_key: 'ADYSJFV2GIA47RD3QP5QPMPDBGTUNARA42G6M6DGTYBBFEGVEBYWQTGS',
      bus_user_public_key: 'UBFACL7G5BDSX62SOYKJPYURQNEOUHCZDGYBKYHS6DHEMDZU3YONWOHX',
      principal_type: 'SERVICE',
      client_id: null,
      service_name: 'demo-adapter',
      vendors: ['vendor_a'],
      status: 'ACTIVE',
      expires_at: null,
      problem: null,
      created_at: '2026-01-31T09:30:00.000Z',
      updated_at: '2026-01-31T09:30:00.000Z',
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

const expiresAt = InputTimestamp.nullable()
  .optional()
  .describe('When the principal expires; null if it does not expire.');

const BusPrincipalCreate = z
  .strictObject({
    bus_user: BusUser,
    bus_account_public_key: BusAccountPublicKey,
    bus_user_public_key: BusUserPublicKey,
    principal_type: PrincipalType,
    client_id: ClientId.optional().describe('Credential that the principal belongs to. It must be in the same tenant.'),
    service_name: ServiceName.optional(),
    vendors: PrincipalVendors.nullable().optional(),
    status: PrincipalStatus.optional().describe(
      'ACTIVE by default. A principal created as DELETED can never connect. It only blocks the user key until the tenant is deleted.',
    ),
    expires_at: expiresAt,
  })
  .refine(({ principal_type, vendors }) => !vendors || principal_type === 'SERVICE', {
    path: ['vendors'],
    error: 'is allowed only for SERVICE principals',
  })
  .meta({
    id: 'BusPrincipalCreate',
    example: {
      bus_user: 'demo-adapter',
      bus_account_public_key: 'ADYSJFV2GIA47RD3QP5QPMPDBGTUNARA42G6M6DGTYBBFEGVEBYWQTGS',
      bus_user_public_key: 'UBFACL7G5BDSX62SOYKJPYURQNEOUHCZDGYBKYHS6DHEMDZU3YONWOHX',
      principal_type: 'SERVICE',
      service_name: 'demo-adapter',
      vendors: ['vendor_a'],
    },
    moreExamples: {
      event_reader: {
        bus_user: 'demo',
        bus_account_public_key: 'ADYSJFV2GIA47RD3QP5QPMPDBGTUNARA42G6M6DGTYBBFEGVEBYWQTGS',
        bus_user_public_key: 'UBFACL7G5BDSX62SOYKJPYURQNEOUHCZDGYBKYHS6DHEMDZU3YONWOHX',
        principal_type: 'CLIENT',
        client_id: 'demo',
      },
    },
  });

const BusPrincipalUpdate = z
  .strictObject({
    status: PrincipalStatus.optional(),
    vendors: PrincipalVendors.nullable().optional(),
    expires_at: expiresAt,
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one field')
  .meta({
    id: 'BusPrincipalUpdate',
    example: { status: 'DISABLED' },
    moreExamples: { other_vendors: { vendors: ['vendor_b'] } },
  });

const tenantPath = z.object({ tenant_id: TenantId });
const principalPath = z.object({ tenant_id: TenantId, principal_id: PrincipalId });

export const busPrincipals = operations({
  create: {
    method: 'POST',
    path: '/api/v1/platform/tenants/:tenant_id/bus/principals',
    summary: 'Create a messaging-bus principal',
    description:
      'Registers a NATS user with two public nkeys: one of the user and one of its account. Do not send private seeds, which begin with S: the platform refuses them. The principal can connect after the operator has reloaded the NATS configuration.',
    metadata: {
      scope: 'platform:bus-principal:create',
      specified: true,
      tenant: 'path',
      errors: [
        'BUS_PRINCIPAL_ALREADY_EXISTS',
        'RESOURCE_LIMIT_REACHED',
        'BUS_KEY_INVALID',
        'BUS_SEED_NOT_ALLOWED',
        'CREDENTIAL_DELETED',
      ],
      repeat: 'BY_HEADER',
    },
    pathParams: tenantPath,
    query: z.strictObject({}),
    body: BusPrincipalCreate,
    responses: { 201: BusPrincipal },
  },
  list: {
    method: 'GET',
    path: '/api/v1/platform/tenants/:tenant_id/bus/principals',
    summary: 'List messaging-bus principals',
    description: 'Lists the principals of the tenant, newest first.',
    metadata: {
      scope: 'platform:bus-principal:read',
      specified: false,
      tenant: 'path',
      errors: [],
    },
    pathParams: tenantPath,
    query: z.strictObject({
      ...pageQuery,
      client_id: ClientId.optional().describe('Only principals of this credential.'),
      status: PrincipalStatus.optional().describe('Only principals with this status.'),
    }),
    responses: { 200: page('BusPrincipalPage', BusPrincipal) },
  },
  get: {
    method: 'GET',
    path: '/api/v1/platform/tenants/:tenant_id/bus/principals/:principal_id',
    summary: 'Get a messaging-bus principal',
    description: 'Returns one principal.',
    metadata: {
      scope: 'platform:bus-principal:read',
      specified: false,
      tenant: 'path',
      errors: [],
    },
    pathParams: principalPath,
    query: z.strictObject({}),
    responses: { 200: BusPrincipal },
  },
  update: {
    method: 'PUT',
    path: '/api/v1/platform/tenants/:tenant_id/bus/principals/:principal_id',
    summary: 'Update a messaging-bus principal',
    description:
      'Updates only the fields in the body. The change applies on the bus after the operator has reloaded the NATS configuration. DELETED is final.',
    metadata: {
      scope: 'platform:bus-principal:update',
      specified: false,
      tenant: 'path',
      errors: ['BUS_PRINCIPAL_DELETED'],
      repeat: 'ALWAYS',
    },
    pathParams: principalPath,
    query: z.strictObject({}),
    body: BusPrincipalUpdate,
    responses: { 200: BusPrincipal },
  },
});
