import type { AnswerHeader, requestHeaders } from '../src/operation.js';
import { patterns } from '../src/primitives.js';
import { headerPatterns, signatureHeaders } from '../src/signature/index.js';

/** The headers of an answer; every answer has X-Request-Id. */
export const headerReferences = (names: readonly AnswerHeader[] = []) =>
  Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const string = (description: string, schema: object = {}) => ({ description, schema: { type: 'string', ...schema } });

export const headers = {
  'X-Request-Id': {
    ...string('Correlation id of the request, as in request_id of the body.', {
      pattern: patterns.requestId.source,
    }),
    required: true,
  },
  'Idempotent-Replayed': string(
    '`true` if the request repeats an earlier one: nothing new was created. Otherwise absent.',
    {
      enum: ['true'],
    },
  ),
  'Idempotency-Mismatch': string(
    'Names of the fields that differ from the original request with the same idempotency_key, separated by commas, for example `payload,device_id`. Absent if no field differs.',
  ),
  Link: string('URL of the next page, in the form `<target>; rel="next"`. Absent on the last page.'),
  'X-Next-Cursor': string('Send as `cursor` to get the next page. Absent on the last page.'),
  RateLimit: string(
    'State of a limit: its name, the remaining requests `r`, and the seconds `t` until the whole quota is available again.',
  ),
  'RateLimit-Policy': string(
    'Definition of a limit: its name, the quota of requests `q`, and its window `w` in seconds.',
  ),
  'Retry-After': {
    description: 'How long to wait before the next attempt, in seconds.',
    schema: { type: 'integer', minimum: 0 },
  },
} satisfies Record<AnswerHeader, object>;

export const parameters = {
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    ...string(
      'Correlation id of your choice, returned in the response. The platform generates one if it is absent or does not match the pattern.',
      { pattern: patterns.requestId.source },
    ),
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    ...string(
      'Key of your choice that makes the request safe to repeat, for example a UUID. If the same credential repeats the same request with the same key within 24 hours, the platform returns the first response again and changes nothing. If the first response had a secret, the repeated response has it, too. After a refused request, you can use its key again.',
      { pattern: patterns.idempotencyKey.source },
    ),
  },
} satisfies Record<(typeof requestHeaders)[number], object>;

const scheme = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });

/** The four headers belong together: see `security` of the document. */
export const securitySchemes = {
  ApiId: scheme(signatureHeaders.clientId, 'client_id of the credential.'),
  ApiTimestamp: scheme(
    signatureHeaders.timestamp,
    `Current Unix time, in seconds. Pattern: ${headerPatterns.timestamp.source}`,
  ),
  ApiNonce: scheme(
    signatureHeaders.nonce,
    `New random value for every attempt, including retries, for example a UUID. Pattern: ${headerPatterns.nonce.source}`,
  ),
  ApiSignature: scheme(
    signatureHeaders.signature,
    '`v1=` and HMAC-SHA256(secret, string to sign) as 64 lower-case hex digits. The key is the complete secret as ASCII text.',
  ),
};
