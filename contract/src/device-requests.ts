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

export const DeviceRequestId = z
  .uuid()
  .describe(
    'The request of the device (UUID version 7). In bodies it is device_request_id, for request_id is the correlation id.',
  );

export const RequestType = z
  .string()
  .regex(
    /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/,
    'must be 1 to 128 of the characters A-Z a-z 0-9 . _ -, and not begin with . or -',
  )
  .describe('What the device asks for, in the naming of the vendor, for example `firmware_check`.');

export const DeviceRequestStatus = z.enum(['PENDING', 'REPLIED', 'EXPIRED']).meta({
  id: 'DeviceRequestStatus',
  description: 'PENDING waits for a reply, REPLIED has its one reply, EXPIRED got none in time.',
});

export const ReplyOutcome = z
  .enum(['SUCCESS', 'ERROR'])
  .meta({ id: 'ReplyOutcome', description: 'Whether the request is granted or refused.' });
const ReplyError = z.strictObject({
  code: z.string().min(1).max(128).describe('A word for programs.'),
  message: z.string().max(1024).describe('A sentence for people.'),
});

/** The reply as it is stored, shown and sent to the adapter. */
export const DeviceReply = z.object({
  outcome: ReplyOutcome,
  payload: OpaqueObject.nullable().describe('What the device gets; null for nothing.'),
  error: ReplyError.nullable().describe('Why it is refused; null where it is not.'),
  replied_at: Timestamp.describe('When the reply was given.'),
  replied_by_client_id: z.string().describe('The credential that gave the reply.'),
});

const DeviceRequest = z
  .object({
    device_request_id: DeviceRequestId,
    vendor: Vendor,
    device_id: DeviceId,
    request_type: RequestType,
    payload: OpaqueObject.describe('What the device said.'),
    status: DeviceRequestStatus,
    received_at: Timestamp.describe('When the platform received the request.'),
    expires_at: Timestamp.describe('Until when it waits for a reply.'),
    reply: DeviceReply.nullable().describe('The one reply; null before it is given.'),
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
      .describe('What the device gets; at most 32 KiB as JSON in UTF-8.'),
    error: ReplyError.optional().describe('Why it is refused; with outcome ERROR only.'),
  })
  .refine((reply) => reply.outcome === 'ERROR' || reply.error === undefined, {
    path: ['error'],
    error: 'belongs to outcome ERROR',
  })
  .meta({
    id: 'DeviceRequestReply',
    example: { outcome: 'SUCCESS', payload: { version: '2.4.1' } },
    moreExamples: {
      error: { outcome: 'ERROR', error: { code: 'UNKNOWN_MODEL', message: 'There is no firmware for this model.' } },
    },
  });

const path = z.object({ request_id: DeviceRequestId });

export const deviceRequests = operations({
  list: {
    method: 'GET',
    path: '/api/v1/open/device-requests',
    summary: 'List device requests',
    description:
      'Lists the requests that devices of the tenant sent, newest first. With wait_seconds it answers as soon as the page is not empty; newest first, only the first page waits. To follow what devices ask, use order=asc with wait_seconds, and go on from the cursor of the last item.',
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
        .describe('desc, by default: newest first. asc: oldest first; behind its cursor comes what devices ask later.'),
      status: DeviceRequestStatus.optional().describe('Only requests of this status.'),
      vendor: Vendor.optional().describe('Only requests from devices of this vendor.'),
      device_id: DeviceId.optional().describe('Only requests of this device.'),
      request_type: RequestType.optional().describe('Only requests of this type.'),
      received_after: InputTimestamp.optional().describe('Only requests received at this time or later.'),
      received_before: InputTimestamp.optional().describe('Only requests received before this time.'),
      wait_seconds: WaitSeconds,
    }),
    responses: { 200: page('DeviceRequestPage', ListedDeviceRequest, 'newest first unless `order` says otherwise') },
  },
  get: {
    method: 'GET',
    path: '/api/v1/open/device-requests/:request_id',
    summary: 'Get a device request',
    description: 'Reads one request of a device and its reply. request_id in the path is the device_request_id.',
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
      'Gives the one reply. The first wins: the same reply again answers as before, another one is refused. No built-in role may reply: grant open:device-request:create by a role of your own or a policy.',
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
