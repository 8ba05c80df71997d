import type { IncomingMessage, ServerResponse } from 'node:http';
import { allOperations, answerHeaders, requestHeaders } from '@tenant-open-platform/contract';
import { signatureHeaders } from '@tenant-open-platform/contract/signature';

const METHODS = [...new Set(allOperations.map(({ route }) => route.method))].join(', ');
const REQUEST_HEADERS = ['Content-Type', 'traceparent', ...requestHeaders, ...Object.values(signatureHeaders)].join(
  ', ',
);
/** What an answer tells beside its body. A page sees none of these unless they are named here. */
const ANSWER_HEADERS = ['Allow', ...answerHeaders].join(', ');
const PREFLIGHT_SECONDS = 600;

/**
 * Lets pages of exactly these origins call the API and read its answers, refusals included (CORS). Returns whether the
 * request is a preflight, which carries no signature and needs no more than these headers. Never sends
 * Access-Control-Allow-Credentials: a request is signed, and cookies mean nothing here.
 */
export function createCors(origins: readonly string[]) {
  const allowed = new Set(origins);
  return ({ method, headers }: IncomingMessage, response: ServerResponse): boolean => {
    if (allowed.size === 0) return false;
    // Also without an allowed origin: a cache must not hand the answer for one origin to another.
    response.setHeader('Vary', 'Origin');
    const { origin } = headers;
    if (origin === undefined || !allowed.has(origin)) return false;
    response.setHeader('Access-Control-Allow-Origin', origin);
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
      response.setHeader('Access-Control-Expose-Headers', ANSWER_HEADERS);
      return false;
    }
    response.setHeader('Access-Control-Allow-Methods', METHODS);
    response.setHeader('Access-Control-Allow-Headers', REQUEST_HEADERS);
    response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
    return true;
  };
}
