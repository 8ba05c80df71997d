import { z } from 'zod';
import { ObjectOperation, ObjectResourceId } from './object-resources.js';
import { operations } from './operation.js';
import { RequestId, Timestamp } from './primitives.js';

const ObjectKey = z
  .string()
  .min(1)
  .max(1024)
  .describe(
    'Key of the object, without the key_prefix of the resource. It must not have a leading slash, a `.` or `..` segment, or a control character. With the prefix, it has at most 1,024 bytes of UTF-8.',
  );

const PresignedMethod = z.enum(['PUT', 'GET']).meta({
  id: 'PresignedMethod',
  description: 'HTTP method of the request to the store: PUT for UPLOAD, GET for DOWNLOAD.',
});

const PresignRequest = z
  .strictObject({
    operation: ObjectOperation,
    resource_id: ObjectResourceId,
    object_key: ObjectKey,
    expires_in_seconds: z
      .int()
      .min(1)
      .max(604_800)
      .optional()
      .describe(
        'How long the URL is valid, in seconds: from 1 to max_expires_in_seconds of the resource. The default is 900, or max_expires_in_seconds if that is lower.',
      ),
    content_type: z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}\/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}(; ?[A-Za-z0-9-]{1,64}=([A-Za-z0-9!#$&^_.+-]{1,128}|"([\x20!#-[\]-~]|\\[\x20-~]){0,128}")){0,4}$/,
        'must be a media type, such as image/png',
      )
      .optional()
      .describe(
        'Media type of the object. Required for UPLOAD, not allowed for DOWNLOAD. The signature covers it: the store refuses any other value.',
      ),
    content_length: z
      .int()
      .min(0)
      .max(5 * 1024 ** 3)
      .optional()
      .describe(
        'Size of the object, in bytes. Required for UPLOAD, not allowed for DOWNLOAD. The signature covers it: the store refuses any other size.',
      ),
    checksum_sha256: z
      .string()
      .regex(/^[A-Za-z0-9+/]{43}=$/, 'must be the base64 of the 32 bytes of a SHA-256')
      .optional()
      .describe(
        'SHA-256 of the content, in base64. Optional for UPLOAD, not allowed for DOWNLOAD. The signature covers it. Amazon S3 refuses content with another checksum; other stores may not check it.',
      ),
    response_content_disposition: z
      .string()
      .regex(/^[\x20-\x7E]{1,512}$/, 'must be 1 to 512 visible ASCII characters or spaces')
      .optional()
      .describe(
        'Content-Disposition header in the response of the store, for example `attachment; filename="log.txt"`. Allowed only for DOWNLOAD.',
      ),
  })
  .superRefine((body, context) => {
    const uploadOnly = ['content_type', 'content_length', 'checksum_sha256'] as const;
    const missing = body.operation === 'UPLOAD' ? (['content_type', 'content_length'] as const) : [];
    for (const field of missing) {
      if (body[field] === undefined)
        context.addIssue({ code: 'custom', path: [field], message: 'is required for UPLOAD' });
    }
    const misplaced = body.operation === 'UPLOAD' ? (['response_content_disposition'] as const) : uploadOnly;
    for (const field of misplaced) {
      if (body[field] !== undefined) {
        context.addIssue({ code: 'custom', path: [field], message: `is not allowed for ${body.operation}` });
      }
    }
  })
  .meta({
    id: 'PresignRequest',
    example: {
      operation: 'UPLOAD',
      resource_id: '019bd3a4-5c4e-7a55-9e84-ad4e5f607182',
      object_key: 'pump-7/2.4.1.bin',
      content_type: 'application/octet-stream',
      content_length: 1_048_576,
    },
    moreExamples: {
      download: {
        operation: 'DOWNLOAD',
        resource_id: '019bd3a4-5c4e-7a55-9e84-ad4e5f607182',
        object_key: 'pump-7/2.4.1.bin',
        expires_in_seconds: 60,
        response_content_disposition: 'attachment; filename="2.4.1.bin"',
      },
    },
  });

const PresignedRequest = z
  .object({
    presign_id: z.uuid().describe('Id of this presign request: a UUID. Quote it when you report a problem.'),
    operation: ObjectOperation,
    method: PresignedMethod,
    url: z
      .string()
      .describe('The presigned URL. Anyone with the URL can use it until it expires: treat it as a secret.'),
    headers: z
      .record(z.string(), z.string())
      .describe(
        'Send these headers unchanged to the store: the signature covers them. You can omit Content-Length if your client sets it automatically.',
      ),
    resource_id: ObjectResourceId,
    object_key: z.string().describe('The object_key of the request, without key_prefix.'),
    expires_at: Timestamp.describe(
      'When the URL expires. It stops working earlier if the access key or its session token becomes invalid.',
    ),
    request_id: RequestId,
  })
  .meta({
    id: 'PresignedRequest',
    example: {
      presign_id: '019bd3a4-5c4e-7b66-8f95-be5f60718293',
      operation: 'UPLOAD',
      method: 'PUT',
      url: 'https://objects.example.com/acme-firmware/firmware/pump-7/2.4.1.bin?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=900&X-Amz-Signature=f28b9007f866c900484b0a6f0ee87497aa3958adf57670f7d57058ecdafbdc71',
      headers: { 'Content-Type': 'application/octet-stream', 'Content-Length': '1048576' },
      resource_id: '019bd3a4-5c4e-7a55-9e84-ad4e5f607182',
      object_key: 'pump-7/2.4.1.bin',
      expires_at: '2026-01-31T09:45:00.000Z',
      request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    },
  });

export const objects = operations({
  presign: {
    method: 'POST',
    path: '/api/v1/open/objects/presign',
    summary: 'Presign an upload or a download',
    description:
      'Checks the request against the rules of the object resource, and returns a presigned URL for one upload or download. Upload or download directly with this URL. No other credentials are needed. The store enforces the method, key, type, size and expiry. The platform records that it issued a URL, but does not store the URL.',
    metadata: {
      scope: 'open:object:create',
      specified: true,
      tenant: 'own',
      errors: ['NOT_FOUND', 'OBJECT_POLICY_DENIED'],
      repeat: 'ALWAYS',
    },
    query: z.strictObject({}),
    body: PresignRequest,
    responses: { 200: PresignedRequest },
  },
});
