import { patterns } from '../src/primitives.js';
import { headerPatterns, signatureHeaders } from '../src/signature/index.js';

export type HeaderName = keyof typeof headers;

/** The headers of an answer; every answer has X-Request-Id. */
export const headerReferences = (names: readonly HeaderName[] = []) =>
  Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const string = (description: string, schema: object = {}) => ({ description, schema: { type: 'string', ...schema } });

export const headers = {
  'X-Request-Id': {
    ...string('Correlation id of the request, the same as request_id in the body.', {
      pattern: patterns.requestId.source,
    }),
    required: true,
  },
  'Idempotent-Replayed': string('Present and true where the idempotency_key was used before: nothing new was made.', {
    enum: ['true'],
  }),
  'Idempotency-Mismatch': string(
    'Present where the idempotency_key was used before for another request: the names of the fields that differ from the original, separated by commas, for example `payload,device_id`.',
  ),
  Link: string('The next page as `<target>; rel="next"`; absent on the last page.'),
  'X-Next-Cursor': string('Pass as `cursor` to get the next page; absent on the last page.'),
  RateLimit: string('The policy, what is left of its quota, and the seconds until it is full again.'),
  'RateLimit-Policy': string('The policy, its quota of requests, and its window in seconds.'),
  'Retry-After': { description: 'How long to wait, in seconds.', schema: { type: 'integer', minimum: 0 } },
};

export const parameters = {
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    ...string('Correlation id of your choice, echoed in the answer. Absent, the platform makes one.', {
      pattern: patterns.requestId.source,
    }),
    example: 'order-4711',
  },
};

const scheme = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });

/** The four headers belong together: see `security` of the document. */
export const securitySchemes = {
  ApiId: scheme(signatureHeaders.clientId, 'client_id of the credential.'),
  ApiTimestamp: scheme(
    signatureHeaders.timestamp,
    `Now, in seconds since 1970-01-01 UTC: ${headerPatterns.timestamp.source}.`,
  ),
  ApiNonce: scheme(
    signatureHeaders.nonce,
    `Fresh for every attempt, retries included, for example a random UUID: ${headerPatterns.nonce.source}.`,
  ),
  ApiSignature: scheme(
    signatureHeaders.signature,
    '`v1=` and the 64 lower-case hex digits of HMAC-SHA256(secret, string to sign). The key is the whole text of the secret.',
  ),
};
