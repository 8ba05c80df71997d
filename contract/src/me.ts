import { z } from 'zod';
import { operations } from './operation.js';
import { ClientId, Name, RequestId, TenantId, Timestamp } from './primitives.js';
import { RoleName, ScopeOfAnswer } from './roles.js';

const Me = z
  .object({
    tenant_id: TenantId,
    client_id: ClientId,
    name: Name,
    roles: z.array(RoleName).describe('The roles that the credential is bound to.'),
    scopes: z.array(ScopeOfAnswer).describe('What the credential may do.'),
    allowed_clock_skew_seconds: z.int().describe('How far X-Api-Timestamp may be from the server clock, in seconds.'),
    replay_window_seconds: z.int().describe('How long a nonce stays used at least, in seconds.'),
    expires_at: Timestamp.nullable().describe('When the credential stops working; null for never.'),
    limits: z
      .object({
        body_bytes: z.int().describe('The largest request body, in bytes.'),
        payload_bytes: z.int().describe('The largest command payload, in bytes of its JSON in UTF-8.'),
        requests_per_minute: z.int().describe('The most requests of this credential a minute, on each node.'),
        requests_per_minute_per_tenant: z
          .int()
          .describe('The most requests of all credentials of the tenant together a minute, on each node.'),
        waiting_requests: z
          .int()
          .describe(
            'The most requests of the tenant that may wait with wait_seconds at the same time, in each process of a node.',
          ),
        per_tenant: z
          .object({
            credentials: z.int().describe('Credentials, DELETED ones included.'),
            roles: z.int().describe("The tenant's own roles."),
            role_bindings: z.int().describe('Role bindings.'),
            policies: z.int().describe('Scopes granted to a credential directly.'),
            bus_principals: z.int().describe('Bus principals, DELETED ones included.'),
            callback_endpoints: z.int().describe('Callback endpoints, DISABLED ones included.'),
            callback_subscriptions: z.int().describe('Callback subscriptions, DISABLED ones included.'),
            object_credentials: z.int().describe('Object credentials, DISABLED ones included.'),
            object_resources: z.int().describe('Object resources, DISABLED ones included.'),
          })
          .describe('The most resources of each kind in the tenant, of every status.'),
      })
      .describe('The limits of this credential and of its tenant.'),
    server_time: Timestamp.describe("The server's clock."),
    request_id: RequestId,
  })
  .meta({
    id: 'Me',
    example: {
      tenant_id: 'acme',
      client_id: 'acme-backend',
      name: 'Acme backend',
      roles: ['integration_reader'],
      scopes: ['open:command:read', 'open:device-request:read', 'open:event:read', 'open:catalog:read'],
      allowed_clock_skew_seconds: 300,
      replay_window_seconds: 300,
      expires_at: null,
      limits: {
        body_bytes: 65536,
        payload_bytes: 32768,
        requests_per_minute: 6000,
        requests_per_minute_per_tenant: 60000,
        waiting_requests: 500,
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
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

export const me = operations({
  get: {
    method: 'GET',
    path: '/api/v1/open/me',
    summary: 'Get the calling credential',
    description: 'Tells who the caller is, what it may do and which limits apply. Any live credential may call it.',
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
