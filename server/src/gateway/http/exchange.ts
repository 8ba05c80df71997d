import type { IncomingMessage, ServerResponse } from 'node:http';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { type ErrorCode, patterns } from '@tenant-open-platform/contract';
import { parseJson } from '@tenant-open-platform/contract/strict-json';
import type { Logger } from 'pino';
import { ApiError } from '../../foundation/api-error.js';
import { hadNoEffect, hasUnknownEffect } from '../../foundation/database/database-error.js';
import { newId } from '../../foundation/ids.js';
import { KeyMissingError } from '../../foundation/secrets/keyring.js';
import { boundedLog, type LogRefusal, ONCE_A_MINUTE } from '../../foundation/telemetry/logger.js';
import type { Metrics } from '../../foundation/telemetry/metrics.js';
import { startSpan, traceIdOf, traceparentOf } from '../../foundation/telemetry/spans.js';
import type { CallOf } from '../operation/call.js';

export type Incoming = IncomingMessage & { url: string; method: string };

/** The response, with the context of its request. */
export type Reply = ServerResponse & {
  locals: {
    requestId: string;
    /** The address of the client. */
    address: string;
    traceparent?: string | undefined;
    /** The name of the operation, once it is found. */
    operation?: string;
    /** The tenant of the credential, once the signature is verified. */
    tenantId?: string;
    /** Set when the request is admitted. */
    call?: CallOf<ErrorCode>;
    /** True once a failure may leave a change behind. */
    mayHaveChanged?: boolean;
    /** The size of the answer's body, once it is sent. */
    answerBytes?: number;
    code?: string;
    /** The quota that was used up. */
    quota?: string;
  };
};

export type Answer = { status: number; body: unknown; headers?: Record<string, string> };

export const commonHeaders = (requestId: string) => ({
  'X-Request-Id': requestId,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
});

export function answerJson(reply: Reply, { status, body, headers }: Answer): void {
  const text = JSON.stringify(body);
  const bytes = Buffer.byteLength(text);
  reply.locals.answerBytes = bytes;
  reply
    .writeHead(status, {
      ...commonHeaders(reply.locals.requestId),
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': bytes,
      ...headers,
    })
    .end(text);
}

/**
 * Answers a thrown error with a code of the error table. An unexpected error is logged and its details are not shown.
 * An intended refusal, for example for overload, is not logged here: it is in the refusal log.
 */
export function createAnswerError(logger: Logger) {
  const log = boundedLog(logger);
  /** Every request that needs the key fails until the operator has acted. */
  const logMissingKey = boundedLog(logger, ONCE_A_MINUTE);
  return function answerError(error: unknown, reply: Reply): void {
    const { requestId, traceparent, operation, mayHaveChanged = false } = reply.locals;
    const trace_id = traceIdOf(traceparent);
    const answer = toApiError(error, mayHaveChanged);
    const isDecided = error instanceof ApiError && error.cause === undefined;
    if (error instanceof KeyMissingError) logMissingKey('error', error.keyId, { key_id: error.keyId }, error.message);
    else if (answer.status >= 500 && !isDecided)
      log('error', answer.code, { err: error, request_id: requestId, trace_id, operation }, answer.code);
    if (reply.headersSent) return void reply.destroy();
    reply.locals.code = answer.code;
    if (answer.extra.metadata?.quota) reply.locals.quota = String(answer.extra.metadata.quota);
    answerJson(reply, { status: answer.status, body: answer.body(requestId), headers: answer.extra.headers });
  };
}

function toApiError(error: unknown, mayHaveChanged: boolean): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof KeyMissingError) return new ApiError('SERVICE_UNAVAILABLE', { headers: { 'Retry-After': '5' } });
  if (hadNoEffect(error) || (hasUnknownEffect(error) && !mayHaveChanged)) {
    return new ApiError('SERVICE_UNAVAILABLE', { headers: { 'Retry-After': '1' } });
  }
  return new ApiError('INTERNAL_ERROR');
}

/** Keeps the caller's correlation id, or generates one. The refusal of a malformed id has a generated one. */
export function requestIdOf(req: IncomingMessage): { requestId: string; problem: ApiError | null } {
  const given = req.headersDistinct['x-request-id'] ?? [];
  const [first] = given;
  if (first === undefined) return { requestId: newId(), problem: null };
  if (given.length === 1 && patterns.requestId.test(first)) return { requestId: first, problem: null };
  return { requestId: newId(), problem: new ApiError('INVALID_REQUEST_ID') };
}

/** Their content has no meaning (RFC 9110, 9.3). Other bodies are read before the caller is known. */
const BODILESS = new Set(['GET', 'HEAD', 'DELETE']);

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Follows a body while it comes. `fail` ends its reading. */
export type Upload = { received(bytes: number, fail: (refusal: ApiError) => void): void; complete(): void };

/** Reads the whole body, up to `limit` bytes, byte for byte: its hash is signed. */
export async function readBody(req: IncomingMessage, limit: number, upload?: Upload): Promise<Buffer> {
  if (!hasBody(req)) return Buffer.alloc(0);
  const { 'content-length': length, 'content-encoding': encoding } = req.headers;
  if (BODILESS.has(req.method ?? '')) {
    throw new ApiError('MALFORMED_HTTP', { message: `A ${req.method} request must not have a body. Leave it out.` });
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', {
      message: `Content-Encoding ${encoding} is not supported. Send the body uncompressed.`,
    });
  }
  if (Number(length) > limit) throw tooLarge(limit);
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    const fail = (refusal: ApiError) => {
      req.removeAllListeners('data');
      chunks = [];
      reject(refusal);
    };
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limit) fail(tooLarge(limit));
      else upload?.received(size, fail);
    });
    req.once('end', () => {
      upload?.complete();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    req.once('error', () =>
      reject(new ApiError('MALFORMED_HTTP', { message: 'The request was not sent completely.' })),
    );
  });
}

const tooLarge = (limit: number) =>
  new ApiError('PAYLOAD_TOO_LARGE', { message: `The body is larger than ${limit} bytes. Send less.` });

const JSON_MEDIA_TYPE = /^application\/json[\t ]*(;[\t ]*charset="?utf-8"?[\t ]*)?$/i;

type Parsed = { value: unknown; problem?: undefined } | { value?: undefined; problem: ApiError };

/** The value of a JSON body (undefined for an empty body), or the problem, which only an admitted caller learns. */
export function parseBody(contentType: string | undefined, bytes: Buffer, maxDepth: number | undefined): Parsed {
  if (bytes.length === 0) return { value: undefined };
  if (contentType === undefined || !JSON_MEDIA_TYPE.test(contentType)) {
    const message = 'The body must be JSON. Send Content-Type: application/json.';
    return { problem: new ApiError('UNSUPPORTED_MEDIA_TYPE', { message }) };
  }
  const parsed = parseJson(bytes, 'body', maxDepth);
  if ('value' in parsed) return parsed;
  const { location, message } = parsed.problem;
  return {
    problem: new ApiError('MALFORMED_JSON', {
      message: `The body is not JSON with one unambiguous meaning: ${message}`,
      details: [{ location, code: 'MALFORMED_JSON', message }],
    }),
  };
}

/** The client disconnected before the whole answer was sent. */
const ABANDONED = 499;

type Observers = { logger: Logger; logRefusal: LogRefusal; metrics: Metrics };

/** Counts and logs a request when it ends, whether answered or abandoned. */
export function observe(req: Incoming, reply: Reply, { logger, logRefusal, metrics }: Observers): void {
  const startedAt = performance.now();
  const span = req.url.startsWith('/api/') ? startSpan(req.method, SpanKind.SERVER, req.headers.traceparent) : null;
  reply.locals.traceparent = span ? traceparentOf(span) : undefined;
  reply.once('close', () => {
    const { requestId, address, operation, call, tenantId, code, quota } = reply.locals;
    const seconds = (performance.now() - startedAt) / 1000;
    const status = reply.writableFinished ? reply.statusCode : ABANDONED;
    metrics.countRequest(operation ?? 'none', status, seconds);
    if (quota) metrics.countOverQuota(quota);
    if (operation) span?.updateName(operation);
    if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.setAttributes({ 'http.response.status_code': status, 'top.request_id': requestId }).end();
    const ids = { request_id: requestId, trace_id: traceIdOf(reply.locals.traceparent) };
    if (code) logRefusal({ code, status: reply.statusCode, ...ids, tenant_id: tenantId, address, req });
    if (!logger.isLevelEnabled('debug')) return;
    const client_id = call?.caller.clientId;
    const duration_ms = Math.round(seconds * 1000);
    logger.debug({ ...ids, client_id, operation, method: req.method, status, code, duration_ms }, 'request');
  });
}
