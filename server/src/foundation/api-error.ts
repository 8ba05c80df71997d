import { type ErrorBody, type ErrorCode, type ErrorDetail, errors } from '@tenant-open-platform/contract';
import { locationOf } from '@tenant-open-platform/contract/strict-json';

export type Extra = {
  /** More precise than the meaning of the code. */
  message?: string;
  details?: ErrorDetail[];
  metadata?: Record<string, unknown>;
  headers?: Record<string, string>;
};

/** A refusal with a code of the error table. It is thrown anywhere and answered in one place. */
export class ApiError extends Error {
  override name = 'ApiError';

  constructor(
    readonly code: ErrorCode,
    readonly extra: Extra = {},
  ) {
    // A refusal has no stack trace: nobody reads it, and an overloaded node spent 3 % of its CPU on it.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(extra.message ?? `${errors[code].meaning} ${errors[code].fix}`);
    Error.stackTraceLimit = stackTraceLimit;
  }

  get status(): number {
    return errors[this.code].status;
  }

  body(requestId: string): ErrorBody {
    const { code, message, extra } = this;
    const { details, metadata } = extra;
    return { code, message, request_id: requestId, ...(details && { details }), ...(metadata && { metadata }) };
  }
}

/** Builds a refusal with one of these codes. */
export type Refuse<Code extends ErrorCode> = (code: Code, extra?: Extra) => ApiError;

export const refuse: Refuse<ErrorCode> = (code, extra) => new ApiError(code, extra);

/** Every operation can answer it. */
export const unavailable = (message: string, retryAfterSeconds: number) =>
  new ApiError('SERVICE_UNAVAILABLE', { message, headers: { 'Retry-After': String(retryAfterSeconds) } });

/** For `away` of admit_requests_v1: the address of the tenant's other platform, or an empty text while it moves. */
export const tenantAway = (away: string) =>
  away === ''
    ? new ApiError('TENANT_MOVING', { headers: { 'Retry-After': '2' } })
    : new ApiError('TENANT_MOVED', { metadata: { base_url: away } });

/** Every list can answer it. */
export const invalidCursor = () => new ApiError('INVALID_CURSOR');

/** The tenant was deleted after the admission. */
export const credentialGone = () => new ApiError('UNAUTHENTICATED');

/** The one answer for a missing resource and for a resource of another tenant. */
export const notFound = () => new ApiError('NOT_FOUND');

/** A body refers to a resource that does not exist or belongs to another tenant. */
export const notFoundIn = (location: string) =>
  new ApiError('NOT_FOUND', {
    details: [{ location, code: 'NOT_FOUND', message: 'There is no such resource in the tenant.' }],
  });

/** Each message continues its location, for example `must be https`. */
export const validationFailed = (details: ErrorDetail[]) =>
  new ApiError('VALIDATION_FAILED', {
    message: `The request is not valid: ${details.map(({ location, message }) => `${location} ${message}`).join('; ')}.`,
    details,
  });

/** The contract accepts the body, but a rule refuses it. */
export const invalidValue = (location: string, message: string) =>
  validationFailed([{ location, code: 'INVALID_VALUE', message }]);

/** `bytes`: the size of the payload as UTF-8 JSON. */
export const largePayload = (bytes: number, limit: number): ApiError | undefined =>
  bytes <= limit
    ? undefined
    : new ApiError('PAYLOAD_TOO_LARGE', {
        message: `The payload is larger than ${limit} bytes. Send less.`,
        details: [{ location: 'body/payload', code: 'PAYLOAD_TOO_LARGE', message: 'is too large' }],
      });

type Issue = {
  code?: string;
  path?: ReadonlyArray<PropertyKey | { key: PropertyKey }>;
  message: string;
  keys?: string[];
};

export const MAX_DETAILS = 20;

export const unknownField = (location: string): ErrorDetail => ({
  location,
  code: 'UNKNOWN_FIELD',
  message: 'is not a known field',
});

/** The problems that a schema has found, bounded: of a request, or of a message of the bus. */
export function detailsIn(
  part: 'query' | `body${string}`,
  error: { issues: ReadonlyArray<unknown> } | null,
): ErrorDetail[] {
  return withoutRepeats((error?.issues ?? []) as Issue[])
    .slice(0, MAX_DETAILS)
    .flatMap(({ code = 'invalid', path = [], message, keys = [] }) => {
      const steps = path.map((step) => (typeof step === 'object' ? step.key : step));
      if (code !== 'unrecognized_keys') {
        return [{ location: locationOf(part, steps), code: code.toUpperCase(), message: lowerFirst(message) }];
      }
      return keys.slice(0, MAX_DETAILS).map((key) => unknownField(locationOf(part, [...steps, key])));
    })
    .slice(0, MAX_DETAILS);
}

/** A value of the wrong type breaks further rules. They would only hide the one that counts. */
function withoutRepeats(issues: Issue[]): Issue[] {
  const ofWrongType = new Set<string>();
  return issues.filter((issue) => {
    const place = JSON.stringify(issue.path ?? []);
    if (ofWrongType.has(place)) return false;
    if (issue.code === 'invalid_type') ofWrongType.add(place);
    return true;
  });
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
