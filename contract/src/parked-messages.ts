import { z } from 'zod';
import { operations } from './operation.js';
import { InputTimestamp, page, pageQuery, RequestId, TenantId, Timestamp, Vendor } from './primitives.js';

const ParkedMessageId = z.uuid().describe('The parked message: a UUID version 7 made by the platform.');

export const ParkedMessageKind = z.enum(['COMMAND', 'COMMAND_UPDATE', 'DEVICE_REQUEST', 'DEVICE_REPLY', 'EVENT']).meta({
  id: 'ParkedMessageKind',
  description:
    'What the message is, by its subject. An adapter sent a COMMAND_UPDATE or a DEVICE_REQUEST, and the platform refused it. The platform sent any other kind, and the bus refused it.',
});

const BodyEncoding = z.enum(['UTF-8', 'BASE64']).meta({
  id: 'ParkedMessageBodyEncoding',
  description: 'How `body` shows the bytes of the message: as text, or in base64 if they are no valid UTF-8.',
});

const example = {
  parked_message_id: '019bd3a4-5c4e-7f01-8a42-3c4d5e6f7081',
  tenant_id: 'acme',
  parked_at: '2026-01-31T09:30:00.000Z',
  subject: 'tenants.acme.command-updates.vendor_a',
  kind: 'COMMAND_UPDATE',
  vendor: 'vendor_a',
  reason: 'The tenant of the subject has no such command for this vendor.',
  can_retry: true,
  request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
};

const ParkedMessage = z
  .object({
    parked_message_id: ParkedMessageId,
    tenant_id: TenantId.describe(
      'The tenant in the subject; `platform` for a message whose subject names no tenant that exists.',
    ),
    parked_at: Timestamp.describe('When the message was refused.'),
    subject: z.string().describe('The subject of the message on the bus.'),
    kind: ParkedMessageKind.nullable().describe('What the message is; null if the subject is none of the platform.'),
    vendor: z.string().nullable().describe('The vendor in the subject; null if it names none.'),
    reason: z.string().describe('Why the message was refused.'),
    can_retry: z
      .boolean()
      .describe(
        'Whether parkedMessages.retry can publish the message again: it was kept whole, its subject is one of the platform, and it is no COMMAND. A refused command has ended FAILED, so nothing may carry it out.',
      ),
    request_id: RequestId,
  })
  .meta({ id: 'ParkedMessage', example });

const ParkedMessageWithBody = ParkedMessage.extend({
  body: z.string().describe('The message as it was kept: the whole of it, or its first 4,096 bytes.'),
  body_encoding: BodyEncoding,
}).meta({
  id: 'ParkedMessageWithBody',
  example: {
    ...example,
    body: '{"command_id":"019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d","device_execution_status":"SUCCEEDED"}',
    body_encoding: 'UTF-8',
  },
});

const gone = { parked_message_id: example.parked_message_id, request_id: example.request_id };

const ParkedMessageRetried = z
  .object({
    parked_message_id: ParkedMessageId,
    retried: z
      .literal(true)
      .describe(
        'Always true. The message is published. A COMMAND_UPDATE or DEVICE_REQUEST stays parked until the platform has taken it.',
      ),
    request_id: RequestId,
  })
  .meta({ id: 'ParkedMessageRetried', example: { ...gone, retried: true } });

const ParkedMessageDeleted = z
  .object({
    parked_message_id: ParkedMessageId,
    deleted: z.literal(true).describe('Always true.'),
    request_id: RequestId,
  })
  .meta({ id: 'ParkedMessageDeleted', example: { ...gone, deleted: true } });

const tenantPath = z.object({ tenant_id: TenantId });
const messagePath = z.object({ tenant_id: TenantId, parked_message_id: ParkedMessageId });

export const parkedMessages = operations({
  list: {
    method: 'GET',
    path: '/api/v1/platform/tenants/:tenant_id/parked-messages',
    summary: 'List parked messages',
    description:
      'Lists the messages of the tenant that the platform or the bus refused, newest first, each with the reason. Messages that belong to no tenant are in the list of tenant `platform`.',
    metadata: {
      scope: 'platform:parked-message:read',
      specified: false,
      tenant: 'path',
      errors: [],
    },
    pathParams: tenantPath,
    query: z.strictObject({
      ...pageQuery,
      kind: ParkedMessageKind.optional().describe('Only messages of this kind.'),
      vendor: Vendor.optional().describe('Only messages of this vendor.'),
      parked_after: InputTimestamp.optional().describe('Only messages parked at or after this instant.'),
      parked_before: InputTimestamp.optional().describe('Only messages parked before this instant.'),
    }),
    responses: { 200: page('ParkedMessagePage', ParkedMessage) },
  },
  get: {
    method: 'GET',
    path: '/api/v1/platform/tenants/:tenant_id/parked-messages/:parked_message_id',
    summary: 'Get a parked message',
    description: 'Reads one parked message with its body.',
    metadata: {
      scope: 'platform:parked-message:read',
      specified: false,
      tenant: 'path',
      errors: [],
    },
    pathParams: messagePath,
    query: z.strictObject({}),
    responses: { 200: ParkedMessageWithBody },
  },
  retry: {
    method: 'POST',
    path: '/api/v1/platform/tenants/:tenant_id/parked-messages/:parked_message_id/retry',
    summary: 'Publish a parked message again',
    description:
      'Publishes the message again under its subject. A DEVICE_REPLY or EVENT is no longer parked once the bus has acknowledged it. A COMMAND_UPDATE or DEVICE_REQUEST stays parked until the platform has taken it, usually within a second. If the platform refuses it once more, it is parked under another id, with the new reason.',
    metadata: {
      scope: 'platform:parked-message:retry',
      specified: false,
      tenant: 'path',
      errors: ['PARKED_MESSAGE_NOT_RETRYABLE', 'SERVICE_UNAVAILABLE'],
      repeat: { check: 'see with parkedMessages.get whether the message is still parked before you retry it again.' },
    },
    pathParams: messagePath,
    query: z.strictObject({}),
    body: z.strictObject({}).optional().meta({ id: 'ParkedMessageRetry', example: {} }),
    responses: { 200: ParkedMessageRetried },
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/platform/tenants/:tenant_id/parked-messages/:parked_message_id',
    summary: 'Delete a parked message',
    description: 'Removes the message from the database.',
    metadata: {
      scope: 'platform:parked-message:delete',
      specified: false,
      tenant: 'path',
      errors: [],
    },
    pathParams: messagePath,
    query: z.strictObject({}),
    responses: { 200: ParkedMessageDeleted },
  },
});
