import { z } from 'zod';
import { MAX_CLOCK_SKEW_SECONDS } from './facts.js';
import { operations } from './operation.js';
import {
  ClientId,
  InputTimestamp,
  Name,
  pageQuery,
  queryList,
  RequestId,
  RequestsPerMinute,
  TenantId,
  Timestamp,
} from './primitives.js';

export const CredentialStatus = z.enum(['ACTIVE', 'DISABLED', 'DELETED']).meta({
  id: 'CredentialStatus',
  description:
    'ACTIVE: can sign requests. DISABLED: requests are refused until the status is ACTIVE again. DELETED: final; the client_id can never be used again.',
});

const WindowSeconds = z.int().min(30).max(MAX_CLOCK_SKEW_SECONDS);

const AllowedClockSkewSeconds = WindowSeconds.describe(
  'Maximum difference between X-Api-Timestamp and the server clock, in seconds: 30 to 900, 300 by default.',
);

const ReplayWindowSeconds = WindowSeconds.describe(
  'Minimum time before a nonce can be used again, in seconds: 30 to 900, 300 by default.',
);

const CredentialRequestsPerMinute = RequestsPerMinute.describe(
  'Maximum number of requests of the credential, per minute and per server instance: 1 to 1000000000. The quota of the tenant applies as well. null: the default of the platform, which the operator sets with REQUESTS_PER_MINUTE. me.get returns the limit in effect. A change applies from the next request of the credential.',
);

const PreviousSecretTtlSeconds = z
  .int()
  .min(0)
  .max(604_800)
  .describe(
    'How long the previous secret stays valid after the rotation, in seconds: 0 to 604800 (7 days), 0 by default. Requires rotate_secret: true.',
  );

const LastUsedAt = Timestamp.nullable();

const Credential = z
  .object({
    client_id: ClientId,
    tenant_id: TenantId,
    name: Name,
    status: CredentialStatus,
    allowed_clock_skew_seconds: AllowedClockSkewSeconds,
    replay_window_seconds: ReplayWindowSeconds,
    requests_per_minute: CredentialRequestsPerMinute,
    secret_version: z
      .int()
      .min(1)
      .describe('Version number of the current secret: starts at 1 and increases by 1 with each rotation.'),
    previous_secret_expires_at: Timestamp.nullable().describe(
      'When the previous secret expires; null if there is no valid previous secret.',
    ),
    expires_at: Timestamp.nullable().describe('When the credential expires; null if it does not expire.'),
    last_used_at: LastUsedAt.describe(
      'Time of the last valid request that was signed with any secret of the credential; null if there was none. Updated with a delay of up to 90 seconds.',
    ),
    secret_last_used_at: LastUsedAt.describe('Like last_used_at, but only for the current secret.'),
    previous_secret_last_used_at: LastUsedAt.describe(
      'Like last_used_at, but only for the previous secret. Also null after the previous secret has expired.',
    ),
    created_at: Timestamp.describe('When the credential was created.'),
    updated_at: Timestamp.describe('When the credential was last changed.'),
    request_id: RequestId,
  })
  .meta({
    id: 'Credential',
    example: {
      client_id: 'demo',
      tenant_id: 'demo',
      name: 'demo',
      status: 'ACTIVE',
      allowed_clock_skew_seconds: 300,
      replay_window_seconds: 300,
      requests_per_minute: null,
      secret_version: 1,
      previous_secret_expires_at: null,
      expires_at: null,
      last_used_at: '2026-01-31T09:30:00.000Z',
      secret_last_used_at: '2026-01-31T09:30:00.000Z',
      previous_secret_last_used_at: null,
      created_at: '2026-01-31T09:30:00.000Z',
      updated_at: '2026-01-31T09:30:00.000Z',
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

const CredentialList = z.array(Credential).meta({ id: 'CredentialList', example: [Credential.meta()?.example] });

const Secret = z
  .string()
  .describe(
    'The secret, returned only in this response. It consists of `osk_` and 49 base62 characters; the last 6 are a checksum.',
  );

const CredentialWithSecret = Credential.extend({ secret: Secret }).meta({
  id: 'CredentialWithSecret',
  example: {
    client_id: 'demo-backend',
    tenant_id: 'demo',
    name: 'Demo backend',
    status: 'ACTIVE',
    allowed_clock_skew_seconds: 300,
    replay_window_seconds: 300,
    requests_per_minute: null,
    secret_version: 1,
    previous_secret_expires_at: null,
    expires_at: null,
    last_used_at: null,
    secret_last_used_at: null,
    previous_secret_last_used_at: null,
    created_at: '2026-01-31T09:30:00.000Z',
    updated_at: '2026-01-31T09:30:00.000Z',
    request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    secret: 'osk_3nTQ8ZkWb1xYv5RcJd0LmPf7GhUe2SaKo9BiNqXtE4w3go6Vf',
  },
});

const CredentialUpdated = Credential.extend({
  secret: Secret.optional().describe(
    'The new secret, returned only in this response. Present only if the request contains rotate_secret: true.',
  ),
}).meta({
  id: 'CredentialUpdated',
  example: {
    client_id: 'demo',
    tenant_id: 'demo',
    name: 'Demo backend',
    status: 'ACTIVE',
    allowed_clock_skew_seconds: 300,
    replay_window_seconds: 300,
    requests_per_minute: null,
    secret_version: 1,
    previous_secret_expires_at: null,
    expires_at: null,
    last_used_at: '2026-01-31T09:45:00.000Z',
    secret_last_used_at: '2026-01-31T09:45:00.000Z',
    previous_secret_last_used_at: null,
    created_at: '2026-01-31T09:30:00.000Z',
    updated_at: '2026-01-31T10:00:00.000Z',
    request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
  },
});

const onlyRotationKeepsASecret = (body: { rotate_secret?: boolean; previous_secret_ttl_seconds?: number }) =>
  body.previous_secret_ttl_seconds === undefined || body.rotate_secret === true;

const ttlWithoutRotation = { path: ['previous_secret_ttl_seconds'], error: 'requires rotate_secret: true' };

const CredentialCreate = z
  .strictObject({
    client_id: ClientId,
    name: Name,
    status: CredentialStatus.optional().describe(
      'ACTIVE by default. A credential created as DELETED can never sign requests. It only blocks the client_id, which can never be used again.',
    ),
    allowed_clock_skew_seconds: AllowedClockSkewSeconds.optional(),
    replay_window_seconds: ReplayWindowSeconds.optional(),
    requests_per_minute: CredentialRequestsPerMinute.optional(),
    expires_at: InputTimestamp.nullable()
      .optional()
      .describe('When the credential expires; null if it does not expire.'),
    rotate_secret: z
      .boolean()
      .optional()
      .describe(
        'If true and the tenant already has a credential with this client_id, the platform rotates the secret of that credential and changes nothing else. If no credential has this client_id, the platform creates it.',
      ),
    previous_secret_ttl_seconds: PreviousSecretTtlSeconds.optional(),
  })
  .refine(onlyRotationKeepsASecret, ttlWithoutRotation)
  .meta({
    id: 'CredentialCreate',
    dependentRequired: { previous_secret_ttl_seconds: ['rotate_secret'] },
    example: { client_id: 'demo-backend', name: 'Demo backend' },
    moreExamples: {
      short_lived: {
        client_id: 'demo-import',
        name: 'Demo import',
        expires_at: '2099-01-31T09:30:00Z',
        replay_window_seconds: 300,
      },
      rotation: { client_id: 'demo-backend', name: 'Demo backend', rotate_secret: true },
    },
  });

const CredentialUpdate = z
  .strictObject({
    name: Name.optional(),
    status: CredentialStatus.optional(),
    allowed_clock_skew_seconds: AllowedClockSkewSeconds.optional(),
    replay_window_seconds: ReplayWindowSeconds.optional(),
    requests_per_minute: CredentialRequestsPerMinute.optional(),
    expires_at: InputTimestamp.nullable()
      .optional()
      .describe('When the credential expires; null if it does not expire.'),
    rotate_secret: z
      .boolean()
      .optional()
      .describe('If true, the platform generates a new secret and returns it only in the response to this request.'),
    previous_secret_ttl_seconds: PreviousSecretTtlSeconds.optional().describe(
      'How long the previous secret stays valid after the rotation, in seconds: 0 to 604800 (7 days), 0 by default. Without rotate_secret: true, only 0 is allowed: it revokes the previous secret immediately. If you send neither, the previous secret stays valid as before.',
    ),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one field')
  .refine((body) => body.previous_secret_ttl_seconds === 0 || onlyRotationKeepsASecret(body), {
    ...ttlWithoutRotation,
    error: 'must be 0 without rotate_secret: true',
  })
  .meta({
    id: 'CredentialUpdate',
    example: { name: 'Demo backend' },
    moreExamples: {
      disable: { status: 'DISABLED' },
      smaller_quota: { requests_per_minute: 60 },
      rotation: { rotate_secret: true, previous_secret_ttl_seconds: 3_600 },
      end_of_the_previous_secret: { previous_secret_ttl_seconds: 0 },
    },
  });

const tenantPath = z.object({ tenant_id: TenantId });
const credentialPath = z.object({ tenant_id: TenantId, client_id: ClientId });

export const credentials = operations({
  create: {
    method: 'POST',
    path: '/api/v1/platform/tenants/:tenant_id/credentials',
    summary: 'Create a credential, or rotate its secret',
    description:
      'Creates a credential of the tenant. Its secret is returned only in this response. With rotate_secret: true and the client_id of an existing credential of the tenant, the platform rotates the secret of that credential and returns 200.',
    metadata: {
      scope: 'platform:credential:create',
      specified: true,
      tenant: 'path',
      errors: ['CREDENTIAL_ALREADY_EXISTS', 'CREDENTIAL_DELETED', 'RESOURCE_LIMIT_REACHED'],
      repeat: 'BY_HEADER',
      successes: { 200: 'The secret was rotated.' },
    },
    pathParams: tenantPath,
    query: z.strictObject({}),
    body: CredentialCreate,
    responses: { 201: CredentialWithSecret, 200: CredentialWithSecret },
  },
  list: {
    method: 'GET',
    path: '/api/v1/platform/tenants/:tenant_id/credentials',
    summary: 'List credentials',
    description:
      'Lists the credentials of the tenant, newest first. The body is a JSON array. The header Link has the URL of the next page (rel="next"), and the header X-Next-Cursor has its cursor.',
    metadata: {
      scope: 'platform:credential:read',
      specified: true,
      tenant: 'path',
      errors: [],
      answerHeaders: ['Link', 'X-Next-Cursor'],
    },
    pathParams: tenantPath,
    query: z.strictObject({
      ...pageQuery,
      status: queryList(CredentialStatus).optional().describe('Only credentials with one of these statuses.'),
    }),
    responses: { 200: CredentialList },
  },
  get: {
    method: 'GET',
    path: '/api/v1/platform/tenants/:tenant_id/credentials/:client_id',
    summary: 'Get a credential',
    description: 'Returns one credential without its secret.',
    metadata: {
      scope: 'platform:credential:read',
      specified: false,
      tenant: 'path',
      errors: [],
    },
    pathParams: credentialPath,
    query: z.strictObject({}),
    responses: { 200: Credential },
  },
  update: {
    method: 'PUT',
    path: '/api/v1/platform/tenants/:tenant_id/credentials/:client_id',
    summary: 'Update a credential',
    description: 'Updates only the fields in the body. A change applies from the next request of the credential.',
    metadata: {
      scope: 'platform:credential:update',
      specified: false,
      tenant: 'path',
      errors: ['CREDENTIAL_DELETED', 'LAST_PLATFORM_ADMINISTRATOR'],
      repeat: 'BY_HEADER',
    },
    pathParams: credentialPath,
    query: z.strictObject({}),
    body: CredentialUpdate,
    responses: { 200: CredentialUpdated },
  },
});
