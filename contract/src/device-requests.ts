import { z } from 'zod';
import { operations } from './operation.js';
import {
  DeviceId,
  followingCursor,
  InputTimestamp,
  ItemCursor,
  OpaqueObject,
  page,
  pageQuery,
  RequestId,
  Timestamp,
  Vendor,
  WaitSeconds,
} from './primitives.js';

export const DeviceRequestId = z.uuid().describe('Id of the device request: a UUID version 7.');

export const RequestType = z
  .string()
  .regex(
    /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/,
    'must be 1 to 128 of the characters A-Z a-z 0-9 . _ -, and not begin with . or -',
  )
  .describe('Type of the request, defined by the vendor, for example `firmware_check`.');

export const DeviceRequestStatus = z.enum(['PENDING', 'REPLIED', 'EXPIRED']).meta({
  id: 'DeviceRequestStatus',
  description: 'PENDING: waits for a reply. REPLIED: has a reply. EXPIRED: got no reply before expires_at.',
});

export const ReplyOutcome = z
  .enum(['SUCCESS', 'ERROR'])
  .meta({ id: 'ReplyOutcome', description: 'SUCCESS: the request succeeded. ERROR: the request failed; see `error`.' });
const ReplyError = z.strictObject({
  code: z.string().min(1).max(128).describe('Machine-readable code.'),
  message: z.string().max(1024).describe('Human-readable explanation.'),
});

/** The reply as it is stored, shown and sent to the adapter. */
export const DeviceReply = z
  .object({
    outcome: ReplyOutcome,
    payload: OpaqueObject.nullable().describe('Data for the device; null if there is none.'),
    error: ReplyError.nullable().describe('Error for the device; null if there is none.'),
    replied_at: Timestamp.describe('When the platform received the reply.'),
    replied_by_client_id: z.string().describe('Credential that sent the reply.'),
  })
  .meta({ id: 'DeviceReply' });

const DeviceRequest = z
  .object({
    device_request_id: DeviceRequestId,
    vendor: Vendor,
    device_id: DeviceId,
    request_type: RequestType,
    payload: OpaqueObject.describe('Data from the device.'),
    status: DeviceRequestStatus,
    received_at: Timestamp.describe('When the platform received the request.'),
    expires_at: Timestamp.describe('Deadline for the reply. A later reply is refused.'),
    reply: DeviceReply.nullable().describe('The reply; null until there is one.'),
    request_id: RequestId,
  })
  .meta({
    id: 'DeviceRequest',
    example: {
      device_request_id: '019bd3a4-5c4e-7e99-8cc8-e18293a4b5c6',
      vendor: 'vendor_a',
      device_id: 'ok-1',
      request_type: 'firmware_check',
      payload: { version: '2.4.0' },
      status: 'PENDING',
      received_at: '2026-01-31T09:30:00.000Z',
      expires_at: '2026-01-31T09:35:00.000Z',
      reply: null,
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

const ListedDeviceRequest = z.object({ ...DeviceRequest.shape, cursor: ItemCursor }).meta({
  id: 'ListedDeviceRequest',
  example: { ...(DeviceRequest.meta()?.example as { request_id: string }), cursor: 'WyJ2YmxjIiwiMTIzIl0' },
});

const DeviceRequestReply = z
  .strictObject({
    outcome: ReplyOutcome,
    payload: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Data for the device. At most 32 KiB as JSON in UTF-8.'),
    error: ReplyError.optional().describe('Error for the device. Allowed only with outcome ERROR.'),
  })
  .refine((reply) => reply.outcome === 'ERROR' || reply.error === undefined, {
    path: ['error'],
    error: 'is allowed only with outcome ERROR',
  })
  .meta({
    id: 'DeviceRequestReply',
    example: { outcome: 'SUCCESS', payload: { version: '2.4.1' } },
    moreExamples: {
      error: { outcome: 'ERROR', error: { code: 'UNKNOWN_MODEL', message: 'There is no firmware for this model.' } },
    },
  });

const path = z.object({
  request_id: DeviceRequestId.describe(
    'Id of the device request: a UUID version 7. In responses, the field `device_request_id` has this id. The field `request_id` has the correlation id.',
  ),
});

export const deviceRequests = operations({
  list: {
    method: 'GET',
    path: '/api/v1/open/device-requests',
    summary: 'List device requests',
    description:
      'Lists the requests from devices of the tenant, newest first by default. With wait_seconds, the platform waits at most that many seconds for a request that matches. Then it returns a page, which can be empty. With order=desc, the platform waits only if you send no cursor. To follow new requests, send order=asc and wait_seconds, and send each next_cursor as cursor. With order=asc, next_cursor is never null.',
    metadata: {
      scope: 'open:device-request:read',
      specified: true,
      tenant: 'own',
      errors: [],
    },
    query: z.strictObject({
      ...pageQuery,
      cursor: followingCursor,
      order: z
        .enum(['asc', 'desc'])
        .default('desc')
        .describe('desc: newest first. asc: oldest first; use it to follow new requests. By default desc.'),
      status: DeviceRequestStatus.optional().describe('Only requests with this status.'),
      vendor: Vendor.optional().describe('Only requests from devices of this vendor.'),
      device_id: DeviceId.optional().describe('Only requests from this device.'),
      request_type: RequestType.optional().describe('Only requests of this type.'),
      received_after: InputTimestamp.optional().describe('Only requests received at or after this time.'),
      received_before: InputTimestamp.optional().describe('Only requests received before this time.'),
      changed_after: InputTimestamp.optional().describe(
        'Only requests that were received or replied to at or after this time. With wait_seconds and no cursor, the platform waits for the next request or the next reply. A page after a cursor does not have the requests before the cursor, even if they get a reply. To follow replies, send a later changed_after instead of a cursor.',
      ),
      wait_seconds: WaitSeconds,
    }),
    responses: {
      200: page('DeviceRequestPage', ListedDeviceRequest, 'newest first, or oldest first with `order=asc`'),
    },
  },
  get: {
    method: 'GET',
    path: '/api/v1/open/device-requests/:request_id',
    summary: 'Get a device request',
    description:
      'Returns one device request and its reply. The path parameter request_id is the device_request_id, not the correlation id.',
    metadata: {
      scope: 'open:device-request:read',
      specified: true,
      tenant: 'own',
      errors: [],
    },
    pathParams: path,
    query: z.strictObject({}),
    responses: { 200: DeviceRequest },
  },
  reply: {
    method: 'POST',
    path: '/api/v1/open/device-requests/:request_id/reply',
    summary: 'Reply to a device request',
    description:
      'Sends the reply to a device request. The platform accepts only the first reply. 200 means that the reply is stored: the platform sends it to the adapter, but not after `expires_at`. If you send the same reply again, the platform returns the same response. It refuses a different reply with DEVICE_REQUEST_ALREADY_REPLIED. No built-in role has the scope `open:device-request:create`. Grant it with a custom role or a policy.',
    metadata: {
      scope: 'open:device-request:create',
      specified: true,
      tenant: 'own',
      errors: ['DEVICE_REQUEST_ALREADY_REPLIED', 'DEVICE_REQUEST_EXPIRED'],
      repeat: 'ALWAYS',
      answerHeaders: ['Idempotent-Replayed'],
    },
    pathParams: path,
    query: z.strictObject({}),
    body: DeviceRequestReply,
    responses: { 200: DeviceRequest },
  },
});
