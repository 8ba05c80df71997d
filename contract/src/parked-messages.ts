import { z } from 'zod';
import { ErrorDetail } from './errors.js';
import { operations } from './operation.js';
import { InputTimestamp, page, pageQuery, RequestId, TenantId, Timestamp, Vendor } from './primitives.js';

const ParkedMessageId = z.uuid().describe('Id of the parked message: a UUID version 7.');

export const ParkedMessageKind = z.enum(['COMMAND', 'COMMAND_UPDATE', 'DEVICE_REQUEST', 'DEVICE_REPLY', 'EVENT']).meta({
  id: 'ParkedMessageKind',
  description:
    'Kind of the message, derived from its subject. COMMAND_UPDATE and DEVICE_REQUEST: an adapter sent the message, and the platform refused it. COMMAND, DEVICE_REPLY and EVENT: the platform sent the message, and the messaging bus refused it.',
});

const BodyEncoding = z.enum(['UTF-8', 'BASE64']).meta({
  id: 'ParkedMessageBodyEncoding',
  description: 'Encoding of `body`. UTF-8: text. BASE64: the bytes are not valid UTF-8.',
});

const example = {
  parked_message_id: '019bd3a4-5c4e-7f01-8a42-3c4d5e6f7081',
  tenant_id: 'demo',
  parked_at: '2026-01-31T09:30:00.000Z',
  subject: 'tenants.demo.command-updates.vendor_a',
  kind: 'COMMAND_UPDATE',
  vendor: 'vendor_a',
  reason: 'Not valid: body/device_execution_status must be IN_PROGRESS, SUCCEEDED, FAILED, REJECTED or TIMED_OUT',
  details: [
    {
      location: 'body/device_execution_status',
      code: 'INVALID_VALUE',
      message: 'must be IN_PROGRESS, SUCCEEDED, FAILED, REJECTED or TIMED_OUT',
    },
  ],
  can_retry: true,
  request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
};

const ParkedMessage = z
  .object({
    parked_message_id: ParkedMessageId,
    tenant_id: TenantId.describe('Tenant in the subject; `platform` if the subject contains no existing tenant.'),
    parked_at: Timestamp.describe('When the message was refused.'),
    subject: z.string().describe('Subject of the message on the bus.'),
    kind: ParkedMessageKind.nullable().describe(
      'Kind of the message; null if the subject is not a subject of the platform.',
    ),
    vendor: z.string().nullable().describe('Vendor in the subject; null if there is none.'),
    reason: z.string().describe('Why the message was refused.'),
    details: z
      .array(ErrorDetail)
      .describe(
        'Invalid fields of the message, at most 20. `location` is the location of the field in `body`. Empty if the reason concerns the message as a whole.',
      ),
    can_retry: z
      .boolean()
      .describe(
        'Whether parkedMessages.retry can publish the message again. false if only a part of the message is stored, because it is larger than 64 KiB. false if the subject is not a subject of the platform. Also false for a COMMAND, because the command has already ended as FAILED.',
      ),
    request_id: RequestId,
  })
  .meta({ id: 'ParkedMessage', example });

const ParkedMessageWithBody = ParkedMessage.extend({
  body: z
    .string()
    .describe('Content of the message. If the message is larger than 64 KiB, only the first 4,096 bytes are stored.'),
  body_encoding: BodyEncoding,
}).meta({
  id: 'ParkedMessageWithBody',
  example: {
    ...example,
    body: '{"command_id":"019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d","device_execution_status":"DONE"}',
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
        'Always true: the message is published. A COMMAND_UPDATE or DEVICE_REQUEST stays parked until the platform has processed it.',
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
      "Lists the tenant's refused messages, with the reason, newest first. Messages that belong to no tenant are in the list of the tenant `platform`.",
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
      parked_after: InputTimestamp.optional().describe('Only messages parked at or after this time.'),
      parked_before: InputTimestamp.optional().describe('Only messages parked before this time.'),
    }),
    responses: { 200: page('ParkedMessagePage', ParkedMessage) },
  },
  get: {
    method: 'GET',
    path: '/api/v1/platform/tenants/:tenant_id/parked-messages/:parked_message_id',
    summary: 'Get a parked message',
    description: 'Returns one parked message with its body.',
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
      'Publishes the message again on its subject. When the bus acknowledges a DEVICE_REPLY or EVENT, the platform removes the parked message. When the platform has processed a COMMAND_UPDATE or DEVICE_REQUEST, it removes the parked message, usually within a second. If the platform refuses the message again, it is parked under a new id with the new reason. If a repeated request returns NOT_FOUND, the message is no longer parked under this id. Usually, the first request published it. Otherwise, the message was deleted.',
    metadata: {
      scope: 'platform:parked-message:retry',
      specified: false,
      tenant: 'path',
      errors: ['PARKED_MESSAGE_NOT_RETRYABLE', 'SERVICE_UNAVAILABLE'],
      repeat: 'ALWAYS',
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
    description: 'Permanently deletes the parked message.',
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
