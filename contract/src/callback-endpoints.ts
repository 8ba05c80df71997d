import { z } from 'zod';
import { operations } from './operation.js';
import { Name, page, pageQuery, RequestId, Timestamp } from './primitives.js';

export const CallbackEndpointId = z.uuid().describe('The callback endpoint: a UUID made by the platform.');

export const CallbackStatus = z.enum(['ACTIVE', 'DISABLED']).meta({
  id: 'CallbackEndpointStatus',
  description: 'Kept for the later delivery service: DISABLED is not delivered to.',
});

/** Accepts any text: a forbidden URL is refused as such, with the reason. */
const CallbackUrl = z
  .string()
  .min(1)
  .max(2048)
  .describe(
    'The HTTPS webhook URL: a public host, no user, no fragment. Stored in its canonical spelling. At most 2,048 characters.',
  );
const TimeoutSeconds = z
  .int()
  .min(1)
  .max(30)
  .describe('How long a delivery may take, in seconds: 1 to 30, 15 by default. Kept for the later delivery service.');
const MaxAttempts = z
  .int()
  .min(1)
  .max(20)
  .describe('How often a delivery is tried: 1 to 20, 10 by default. Kept for the later delivery service.');
const PreviousSecretTtlSeconds = z
  .int()
  .min(0)
  .max(604_800)
  .describe(
    'With rotate_secret: how long the previous secret stays valid beside the new one, in seconds: 0 to 604800, 0 by default.',
  );

const fields = {
  endpoint_id: CallbackEndpointId,
  name: Name,
  url: z.string().describe('The HTTPS webhook URL in its canonical spelling.'),
  status: CallbackStatus,
  timeout_seconds: TimeoutSeconds,
  max_attempts: MaxAttempts,
  secret_version: z.int().min(1).describe('Counts the rotations of the secret: 1 at first.'),
  previous_secret_expires_at: Timestamp.nullable().describe(
    'Until when deliveries are also signed with the previous secret; null if they are not.',
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
    'The secret that deliveries will be signed with, shown this once and never again: `whsec_` and 32 bytes in base64, as Standard Webhooks has it.',
  );

const CallbackEndpointWithSecret = z.object({ ...fields, secret: Secret }).meta({
  id: 'CallbackEndpointWithSecret',
  example: { ...example, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDSkAHDm4wYd4=' },
});

const CallbackEndpointUpdated = z
  .object({
    ...fields,
    secret: Secret.optional().describe('The new secret, only where rotate_secret was true. Shown this once.'),
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
    rotate_secret: z.boolean().optional().describe('True makes a new secret and returns it, this once.'),
    previous_secret_ttl_seconds: PreviousSecretTtlSeconds.optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one field')
  .refine((body) => body.previous_secret_ttl_seconds === undefined || body.rotate_secret === true, {
    path: ['previous_secret_ttl_seconds'],
    error: 'needs rotate_secret: true',
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
      'Stores where a later delivery service sends events, and returns the secret that it signs them with, this once. The platform itself delivers nothing. At most 50 a tenant by default, those that are DISABLED included.',
    metadata: {
      scope: 'open:callback:create',
      specified: true,
      tenant: 'own',
      errors: ['CALLBACK_URL_NOT_ALLOWED', 'RESOURCE_LIMIT_REACHED'],
      repeat: {
        check:
          'see with callbackEndpoints.list whether the endpoint exists and which secret_version it has. If the request did take effect, its secret is lost: rotate it.',
      },
    },
    query: z.strictObject({}),
    body: CallbackEndpointCreate,
    responses: { 201: CallbackEndpointWithSecret },
  },
  list: {
    method: 'GET',
    path: '/api/v1/open/callbacks/endpoints',
    summary: 'List callback endpoints',
    description: 'Lists the callback endpoints of the tenant, newest first, never their secrets.',
    metadata: {
      scope: 'open:callback:read',
      specified: true,
      tenant: 'own',
      errors: [],
    },
    query: z.strictObject(pageQuery),
    responses: { 200: page('CallbackEndpointPage', CallbackEndpoint) },
  },
  get: {
    method: 'GET',
    path: '/api/v1/open/callbacks/endpoints/:endpoint_id',
    summary: 'Get a callback endpoint',
    description: 'Reads one callback endpoint, never its secret.',
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
      'Changes the fields that the body names and leaves the others. rotate_secret: true makes a new secret and returns it, this once.',
    metadata: {
      scope: 'open:callback:update',
      specified: true,
      tenant: 'own',
      errors: ['CALLBACK_URL_NOT_ALLOWED'],
      repeat: {
        check:
          'see with callbackEndpoints.list whether the endpoint exists and which secret_version it has. If the request did take effect, its secret is lost: rotate it.',
        ifBodyHas: 'rotate_secret',
      },
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
    description: 'Removes the callback endpoint with its subscriptions, and its secrets from the database.',
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
