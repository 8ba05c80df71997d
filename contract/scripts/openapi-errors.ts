import { allOperations } from '../src/contract.js';
import { type ErrorCode, errors } from '../src/errors.js';
import { errorsOf } from '../src/errors-of.js';
import type { AnswerHeader } from '../src/operation.js';
import { headerReferences } from './openapi-components.js';

/** Error responses that many operations share, by name. */
const shared: Record<string, readonly ErrorCode[]> = {
  BadRequest: ['MALFORMED_HTTP', 'INVALID_TARGET', 'VALIDATION_FAILED'],
  BadRequestBody: ['MALFORMED_HTTP', 'INVALID_TARGET', 'MALFORMED_JSON', 'VALIDATION_FAILED'],
  BadListRequest: ['MALFORMED_HTTP', 'INVALID_TARGET', 'VALIDATION_FAILED', 'INVALID_CURSOR'],
  RequestTimeout: ['REQUEST_TIMEOUT'],
  ExpectationFailed: ['EXPECTATION_FAILED'],
  HeadersTooLarge: ['HEADERS_TOO_LARGE'],
  Unauthenticated: ['UNAUTHENTICATED', 'CLOCK_SKEW', 'NONCE_REUSED'],
  Forbidden: ['FORBIDDEN'],
  NotFound: ['NOT_FOUND'],
  PayloadTooLarge: ['PAYLOAD_TOO_LARGE'],
  UnsupportedMediaType: ['UNSUPPORTED_MEDIA_TYPE'],
  TooManyRequests: ['RATE_LIMITED'],
  InternalError: ['INTERNAL_ERROR'],
  ServiceUnavailable: ['SERVICE_UNAVAILABLE', 'TENANT_MOVING'],
};

const headersByStatus: Record<number, AnswerHeader[]> = {
  429: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  503: ['Retry-After'],
};

const isSame = (one: readonly ErrorCode[], other: readonly ErrorCode[]) => one.join() === other.join();

/** A response per status of the codes, a reference if it is a shared one, and the response of every other status. */
export function errorResponses(codes: readonly ErrorCode[]) {
  const statuses = [...new Set(codes.map((code) => errors[code].status))];
  const listed = statuses.map((status) => {
    const ofStatus = codes.filter((code) => errors[code].status === status);
    const name = Object.keys(shared).find((name) => isSame(shared[name] ?? [], ofStatus));
    return [status, name ? { $ref: `#/components/responses/${name}` } : errorResponse(ofStatus)];
  });
  return { ...Object.fromEntries(listed), default: { $ref: '#/components/responses/OtherError' } };
}

const schema = { $ref: '#/components/schemas/ErrorBody' };

type ErrorResponse = {
  description: string;
  headers: object;
  content: { 'application/json': { schema: object; examples?: Record<string, { $ref: string }> } };
};

export const sharedErrorResponses: Record<string, ErrorResponse> = {
  ...Object.fromEntries(Object.entries(shared).map(([name, codes]) => [name, errorResponse(codes)])),
  OtherError: {
    description: 'Another error. A later version of the platform can respond with a status that is not listed.',
    headers: headerReferences(),
    content: { 'application/json': { schema } },
  },
};

function errorResponse(codes: readonly ErrorCode[]): ErrorResponse {
  const [first] = codes;
  return {
    description: codes.map((code) => `- \`${code}\`: ${errors[code].meaning} ${errors[code].fix}`).join('\n'),
    headers: headerReferences(first && headersByStatus[errors[first].status]),
    content: {
      'application/json': {
        schema,
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

const answered = new Set(allOperations.flatMap(errorsOf));

/** An example of each code that an operation can answer. METHOD_NOT_ALLOWED belongs to no operation. */
export const errorExamples = Object.fromEntries(
  [...answered].map((code) => [
    code,
    { value: { code, message: errors[code].meaning, request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d' } },
  ]),
);
