import { z } from 'zod';
import { operations } from './operation.js';
import { ClientId, Name, RequestId, TenantId, Timestamp } from './primitives.js';
import { RoleName, ScopeOfAnswer } from './roles.js';

const Me = z
  .object({
    tenant_id: TenantId,
    client_id: ClientId,
    name: Name,
    roles: z.array(RoleName).describe('Roles of the credential.'),
    scopes: z.array(ScopeOfAnswer).describe('Scopes of the credential, from its roles and its policies.'),
    allowed_clock_skew_seconds: z
      .int()
      .describe('Maximum difference between X-Api-Timestamp and the server clock, in seconds.'),
    replay_window_seconds: z.int().describe('Minimum time before a nonce can be used again, in seconds.'),
    expires_at: Timestamp.nullable().describe('When the credential expires; null if it does not expire.'),
    limits: z
      .object({
        body_bytes: z.int().describe('Maximum size of a request body, in bytes.'),
        batch_body_bytes: z.int().describe('Maximum size of the body of commands.createMany, in bytes.'),
        payload_bytes: z.int().describe('Maximum size of a command payload as JSON in UTF-8, in bytes.'),
        requests_per_minute: z
          .int()
          .describe('Maximum number of requests of this credential per minute and per server instance.'),
        requests_per_minute_per_tenant: z
          .int()
          .describe(
            'Maximum number of requests of all credentials of the tenant together, per minute and per server instance.',
          ),
        waiting_requests: z
          .int()
          .describe(
            'Maximum number of concurrent long-polling requests (wait_seconds) of the tenant. Each process of each server instance counts separately.',
          ),
        change_bytes_per_day: z
          .int()
          .describe(
            'Maximum number of bytes that changes to the tenant add to its audit log per day (UTC). The responses that are stored for Idempotency-Key count, too. Changes by the tenant `platform` do not count.',
          ),
        per_tenant: z
          .object({
            credentials: z.int().describe('Credentials, including DELETED ones.'),
            roles: z.int().describe('Custom roles.'),
            role_bindings: z.int().describe('Role bindings.'),
            policies: z.int().describe('Policies.'),
            bus_principals: z.int().describe('Messaging-bus principals, including DELETED ones.'),
            callback_endpoints: z.int().describe('Callback endpoints, including DISABLED ones.'),
            callback_subscriptions: z.int().describe('Callback subscriptions, including DISABLED ones.'),
            object_credentials: z.int().describe('Object credentials, including DISABLED ones.'),
            object_resources: z.int().describe('Object resources, including DISABLED ones.'),
          })
          .describe(
            'Maximum number of resources of each kind in the tenant. DISABLED resources count. DELETED credentials and DELETED principals count, too.',
          ),
      })
      .describe('Limits of this credential and of its tenant.'),
    server_time: Timestamp.describe('Current time of the server clock.'),
    platform_version: z.string().describe('Version of the platform.'),
    request_id: RequestId,
  })
  .meta({
    id: 'Me',
    example: {
      tenant_id: 'demo',
      client_id: 'demo',
      name: 'demo',
      roles: ['integration_operator'],
      scopes: [
        'open:command:create',
        'open:command:read',
        'open:object:create',
        'open:device-request:read',
        'open:command:cancel',
        'open:event:read',
        'open:catalog:read',
      ],
      allowed_clock_skew_seconds: 300,
      replay_window_seconds: 300,
      expires_at: null,
      limits: {
        body_bytes: 65536,
        batch_body_bytes: 1048576,
        payload_bytes: 32768,
        requests_per_minute: 6000,
        requests_per_minute_per_tenant: 60000,
        waiting_requests: 500,
        change_bytes_per_day: 67108864,
        per_tenant: {
          credentials: 1000,
          roles: 100,
          role_bindings: 5000,
          policies: 5000,
          bus_principals: 200,
          callback_endpoints: 50,
          callback_subscriptions: 100,
          object_credentials: 50,
          object_resources: 200,
        },
      },
      server_time: '2026-01-31T09:30:00.000Z',
      platform_version: '1.0.0',
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

export const me = operations({
  get: {
    method: 'GET',
    path: '/api/v1/open/me',
    summary: 'Get the calling credential',
    description:
      'Returns the calling credential with its roles, scopes and limits. Every valid credential may call this operation.',
    metadata: {
      scope: null,
      specified: false,
      tenant: 'own',
      errors: [],
    },
    query: z.strictObject({}),
    responses: { 200: Me },
  },
});
