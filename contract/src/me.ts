import { z } from 'zod';
import { operations } from './operation.js';
import { ClientId, Name, RequestId, TenantId, Timestamp } from './primitives.js';
import { RoleName } from './roles.js';
import { scopes } from './scopes.js';

const Me = z
  .object({
    tenant_id: TenantId,
    client_id: ClientId,
    name: Name,
    roles: z.array(RoleName).describe('The roles that the credential is bound to.'),
    scopes: z.array(z.enum(scopes)).describe('What the credential may do.'),
    allowed_clock_skew_seconds: z.int().describe('How far X-Api-Timestamp may be from the server clock, in seconds.'),
    replay_window_seconds: z.int().describe('How long a nonce stays used at least, in seconds.'),
    expires_at: Timestamp.nullable().describe('When the credential stops working; null for never.'),
    limits: z
      .object({
        body_bytes: z.int().describe('The largest request body, in bytes.'),
        payload_bytes: z.int().describe('The largest command payload, in bytes of its JSON in UTF-8.'),
        requests_per_minute: z.int().describe('The most requests of this credential a minute, on each node.'),
      })
      .describe('The limits of this credential.'),
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
      limits: { body_bytes: 65536, payload_bytes: 32768, requests_per_minute: 6000 },
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
    metadata: { scope: null, specified: false },
    query: z.strictObject({}),
    responses: { 200: Me },
  },
});
