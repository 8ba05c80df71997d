import { z } from 'zod';
import type { Operation } from './contract.js';
import { type ErrorCode, errors } from './errors.js';

/** Codes of every request under /api/v1. */
const common: readonly ErrorCode[] = [
  'MALFORMED_HTTP',
  'INVALID_TARGET',
  'VALIDATION_FAILED',
  'REQUEST_TIMEOUT',
  'HEADERS_TOO_LARGE',
  'EXPECTATION_FAILED',
  'UNAUTHENTICATED',
  'CLOCK_SKEW',
  'NONCE_REUSED',
  'TENANT_MOVED',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
  'TENANT_MOVING',
];

const ofBodies: readonly ErrorCode[] = ['MALFORMED_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

/** Every code that an operation can answer, in the order of the table: codes of its shape, and its own codes. */
export function errorsOf({ route }: Operation): ErrorCode[] {
  const { scope, tenant, repeat, errors: own } = route.metadata;
  const hasBody = 'body' in route && route.body !== undefined;
  const hasCursor = route.query instanceof z.ZodObject && 'cursor' in route.query.shape;
  const codes = new Set<ErrorCode>([
    ...common,
    ...(hasBody ? ofBodies : []),
    ...(hasCursor ? (['INVALID_CURSOR'] as const) : []),
    ...(route.path.includes(':') ? (['NOT_FOUND'] as const) : []),
    ...(scope === null ? [] : (['FORBIDDEN'] as const)),
    ...(tenant === 'path' && route.method !== 'GET' ? (['TENANT_DELETED'] as const) : []),
    ...(repeat === 'BY_HEADER' ? (['IDEMPOTENCY_KEY_REUSED'] as const) : []),
    ...own,
  ]);
  return (Object.keys(errors) as ErrorCode[]).filter((code) => codes.has(code));
}
