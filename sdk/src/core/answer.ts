import { isTransient } from '@tenant-open-platform/contract/facts';
import type { CommandAccepted, ErrorBody } from '../api.gen.js';
import { ApiError, type ErrorContext, IdempotencyMismatchError } from '../errors.js';
import type { WithResponse } from './api-promise.js';
import type { Answer } from './attempt.js';
import { parseRetryAfterMs } from './retry.js';

/** Turns an answer into the result of the call, or throws the error that it stands for. */
export function readAnswer<T>(
  answer: Answer,
  sent: ErrorContext,
  serverNowMs: number,
  json = parseJson(answer.text),
): WithResponse<T> {
  const { status, headers } = answer;
  const requestId = headers.get('x-request-id') ?? sent.requestId ?? '';
  const context = { ...sent, requestId };
  const body = json as Partial<ErrorBody> | null | undefined;
  // Every object that the platform answers has a request_id. Other JSON comes from another server.
  const isRecord = typeof body?.request_id === 'string';
  const hasShape = sent.operation === 'credentials.list' ? Array.isArray(body) : isRecord;
  if (status >= 200 && status < 300 && hasShape) {
    const mismatch = headers.get('idempotency-mismatch');
    if (mismatch) throw new IdempotencyMismatchError(body as CommandAccepted, mismatch.split(/\s*,\s*/), context);
    return { data: body as T, requestId, status, headers };
  }
  const isRefusal = isRecord && typeof body.code === 'string' && typeof body.message === 'string';
  const error = isRefusal ? (body as ErrorBody) : unexpected(answer);
  const retryAfterMs = parseRetryAfterMs(headers.get('retry-after'), serverNowMs);
  throw new ApiError(status, error, { ...context, headers, retryAfterMs });
}

const FOREIGN_TEXT_CHARACTERS = 500;

/** A proxy, a redirect or another server answered, not the platform. */
function unexpected({ status, headers, text }: Answer): Pick<ErrorBody, 'code' | 'message' | 'metadata'> {
  const location = headers.get('location');
  let hint = 'check baseUrl.';
  if (location) hint = `it redirects to ${location}; set baseUrl to the address that answers itself.`;
  else if (isTransient(status)) hint = 'a proxy in front of it answered. Look into its logs.';
  return {
    code: 'UNEXPECTED_ANSWER',
    message: `an answer of status ${status} that is not the platform's: ${hint}`,
    metadata: { text: text.slice(0, FOREIGN_TEXT_CHARACTERS) },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
