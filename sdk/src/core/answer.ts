import { ApiError, type ErrorContext, IdempotencyMismatchError } from '../errors.js';
import type { CommandAccepted, ErrorBody } from '../types.js';
import type { WithResponse } from './api-promise.js';
import type { Answer } from './attempt.js';
import { parseRetryAfterMs } from './retry.js';

/** Turns an answer into the result of the call, or throws what it means. */
export function readAnswer<T>(answer: Answer, sent: ErrorContext, serverNowMs: number): WithResponse<T> {
  const { status, headers, text } = answer;
  const requestId = headers.get('x-request-id') ?? sent.requestId ?? '';
  const context = { ...sent, requestId };
  const body = parseJson(text);
  if (status >= 200 && status < 300 && isObject(body)) {
    const mismatch = headers.get('idempotency-mismatch');
    if (mismatch) throw new IdempotencyMismatchError(body as CommandAccepted, mismatch.split(/\s*,\s*/), context);
    return { data: body as T, requestId, status, headers };
  }
  const error = isErrorBody(body) ? body : unexpected(answer);
  throw new ApiError(status, error, {
    ...context,
    retryAfterMs: parseRetryAfterMs(headers.get('retry-after'), serverNowMs),
  });
}

/** Something else than the platform answered: a proxy, a redirect, another server. */
function unexpected({ status, headers }: Answer): Pick<ErrorBody, 'code' | 'message'> {
  const location = headers.get('location');
  const hint = location ? `it redirects to ${location}, which a signature does not follow` : 'is baseUrl right?';
  return { code: 'UNEXPECTED_ANSWER', message: `An answer of status ${status} that is not the platform's: ${hint}` };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isErrorBody(body: unknown): body is ErrorBody {
  return isObject(body) && 'code' in body && typeof body.code === 'string' && 'message' in body;
}
