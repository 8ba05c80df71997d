import { z } from 'zod';
import { operations } from './operation.js';
import { Name, page, pageQuery, queryList, RequestId, Timestamp } from './primitives.js';

export const CallbackEndpointId = z.uuid().describe('Id of the callback endpoint: a UUID that the platform generates.');

export const CallbackStatus = z.enum(['ACTIVE', 'DISABLED']).meta({
  id: 'CallbackEndpointStatus',
  description:
    'ACTIVE: events are delivered. DISABLED: nothing is delivered. The status has no effect until webhook delivery is available.',
});

/** Accepts any text: a forbidden URL is refused as such, with the reason. */
const CallbackUrl = z
  .string()
  .min(1)
  .max(2048)
  .describe(
    'HTTPS URL of the webhook. The host must be public; user name and fragment are not allowed. At most 2,048 characters. The platform stores the normalized URL.',
  );
const TimeoutSeconds = z
  .int()
  .min(1)
  .max(30)
  .describe(
    'Timeout of a delivery attempt, in seconds: 1 to 30, 15 by default. It has no effect until webhook delivery is available.',
  );
const MaxAttempts = z
  .int()
  .min(1)
  .max(20)
  .describe(
    'Maximum number of delivery attempts: 1 to 20, 10 by default. It has no effect until webhook delivery is available.',
  );
const PreviousSecretTtlSeconds = z
  .int()
  .min(0)
  .max(604_800)
  .describe(
    'How long the previous secret stays valid after the rotation, in seconds: 0 to 604800 (7 days), 0 by default. Requires rotate_secret: true.',
  );

const fields = {
  endpoint_id: CallbackEndpointId,
  name: Name,
  url: z.string().describe('Normalized HTTPS URL of the webhook.'),
  status: CallbackStatus,
  timeout_seconds: TimeoutSeconds,
  max_attempts: MaxAttempts,
  secret_version: z
    .int()
    .min(1)
    .describe('Version number of the current secret: starts at 1 and increases by 1 with each rotation.'),
  previous_secret_expires_at: Timestamp.nullable().describe(
    'When the previous secret expires; null if there is no valid previous secret. Before this time, each delivery has two signatures: one made with each secret. The platform does not deliver webhooks yet.',
  ),
  created_at: Timestamp.describe('When the endpoint was created.'),
  updated_at: Timestamp.describe('When the endpoint was last changed.'),
  request_id: RequestId,
};

const example = {
  endpoint_id: '019bd3a4-5c4e-7c77-8aa6-cf6071829304',
  name: 'Order system',
  url: 'https://hooks.acme.example/top',
  status: 'ACTIVE',
  timeout_seconds: 15,
  max_attempts: 10,
  secret_version: 1,
  previous_secret_expires_at: null,
  created_at: '2026-01-31T09:30:00.000Z',
  updated_at: '2026-01-31T09:30:00.000Z',
  request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
};

const CallbackEndpoint = z.object(fields).meta({ id: 'CallbackEndpoint', example });

const Secret = z
  .string()
  .describe(
    'Secret for signing webhook deliveries, returned only in this response. It consists of `whsec_` and 32 bytes in base64, as in Standard Webhooks.',
  );

const CallbackEndpointWithSecret = z.object({ ...fields, secret: Secret }).meta({
  id: 'CallbackEndpointWithSecret',
  example: { ...example, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDSkAHDm4wYd4=' },
});

const CallbackEndpointUpdated = z
  .object({
    ...fields,
    secret: Secret.optional().describe(
      'The new secret, returned only in this response. Present only if the request contains rotate_secret: true.',
    ),
  })
  .meta({ id: 'CallbackEndpointUpdated', example: { ...example, status: 'DISABLED' } });

const CallbackEndpointCreate = z
  .strictObject({
    name: Name,
    url: CallbackUrl,
    status: CallbackStatus.optional().describe('ACTIVE by default.'),
    timeout_seconds: TimeoutSeconds.optional(),
    max_attempts: MaxAttempts.optional(),
  })
  .meta({
    id: 'CallbackEndpointCreate',
    example: { name: 'Order system', url: 'https://hooks.acme.example/top' },
    moreExamples: {
      few_attempts: {
        name: 'Dashboard',
        url: 'https://dashboard.acme.example/hooks',
        timeout_seconds: 5,
        max_attempts: 3,
      },
    },
  });

const CallbackEndpointUpdate = z
  .strictObject({
    name: Name.optional(),
    url: CallbackUrl.optional(),
    status: CallbackStatus.optional(),
    timeout_seconds: TimeoutSeconds.optional(),
    max_attempts: MaxAttempts.optional(),
    rotate_secret: z
      .boolean()
      .optional()
      .describe('If true, the platform generates a new secret and returns it only in the response to this request.'),
    previous_secret_ttl_seconds: PreviousSecretTtlSeconds.optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one field')
  .refine((body) => body.previous_secret_ttl_seconds === undefined || body.rotate_secret === true, {
    path: ['previous_secret_ttl_seconds'],
    error: 'requires rotate_secret: true',
  })
  .meta({
    id: 'CallbackEndpointUpdate',
    dependentRequired: { previous_secret_ttl_seconds: ['rotate_secret'] },
    example: { status: 'DISABLED' },
    moreExamples: { rotation: { rotate_secret: true } },
  });

const CallbackEndpointDeleted = z
  .object({
    endpoint_id: CallbackEndpointId,
    deleted: z.literal(true).describe('Always true.'),
    request_id: RequestId,
  })
  .meta({
    id: 'CallbackEndpointDeleted',
    example: {
      endpoint_id: '019bd3a4-5c4e-7c77-8aa6-cf6071829304',
      deleted: true,
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

const endpointPath = z.object({ endpoint_id: CallbackEndpointId });

export const callbackEndpoints = operations({
  create: {
    method: 'POST',
    path: '/api/v1/open/callbacks/endpoints',
    summary: 'Create a callback endpoint',
    description:
      'Stores a webhook URL. The platform does not deliver webhooks yet. The secret for signing webhook deliveries is returned only in this response. By default, a tenant can have 50 callback endpoints, including DISABLED ones.',
    metadata: {
      scope: 'open:callback:create',
      specified: true,
      tenant: 'own',
      errors: ['CALLBACK_URL_NOT_ALLOWED', 'RESOURCE_LIMIT_REACHED'],
      repeat: 'BY_HEADER',
    },
    query: z.strictObject({}),
    body: CallbackEndpointCreate,
    responses: { 201: CallbackEndpointWithSecret },
  },
  list: {
    method: 'GET',
    path: '/api/v1/open/callbacks/endpoints',
    summary: 'List callback endpoints',
    description: 'Lists the callback endpoints of the tenant without their secrets, newest first.',
    metadata: {
      scope: 'open:callback:read',
      specified: true,
      tenant: 'own',
      errors: [],
    },
    query: z.strictObject({
      ...pageQuery,
      status: queryList(CallbackStatus).optional().describe('Only endpoints with one of these statuses.'),
    }),
    responses: { 200: page('CallbackEndpointPage', CallbackEndpoint) },
  },
  get: {
    method: 'GET',
    path: '/api/v1/open/callbacks/endpoints/:endpoint_id',
    summary: 'Get a callback endpoint',
    description: 'Returns one callback endpoint without its secret.',
    metadata: {
      scope: 'open:callback:read',
      specified: true,
      tenant: 'own',
      errors: [],
    },
    pathParams: endpointPath,
    query: z.strictObject({}),
    responses: { 200: CallbackEndpoint },
  },
  update: {
    method: 'PUT',
    path: '/api/v1/open/callbacks/endpoints/:endpoint_id',
    summary: 'Update a callback endpoint',
    description:
      'Updates only the fields in the body. With rotate_secret: true, the platform generates a new secret. The secret is returned only in this response.',
    metadata: {
      scope: 'open:callback:update',
      specified: true,
      tenant: 'own',
      errors: ['CALLBACK_URL_NOT_ALLOWED'],
      repeat: 'BY_HEADER',
    },
    pathParams: endpointPath,
    query: z.strictObject({}),
    body: CallbackEndpointUpdate,
    responses: { 200: CallbackEndpointUpdated },
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/open/callbacks/endpoints/:endpoint_id',
    summary: 'Delete a callback endpoint',
    description: 'Deletes the callback endpoint, its subscriptions and its secrets.',
    metadata: {
      scope: 'open:callback:disable',
      specified: false,
      tenant: 'own',
      errors: [],
    },
    pathParams: endpointPath,
    query: z.strictObject({}),
    responses: { 200: CallbackEndpointDeleted },
  },
});
