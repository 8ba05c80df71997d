import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { type ErrorCode, type Operation, patterns } from '@tenant-open-platform/contract';
import { locationOf, parseJson } from '@tenant-open-platform/contract/strict-json';
import { validateIfSchema } from '@ts-rest/core';
import type { Logger } from 'pino';
import { z } from 'zod';
import {
  ApiError,
  detailsIn,
  MAX_DETAILS,
  notFound,
  unknownField,
  validationFailed,
} from '../../foundation/api-error.js';
import { hadNoEffect, hasUnknownEffect } from '../../foundation/database/database-error.js';
import { newId } from '../../foundation/ids.js';
import { KeyMissingError } from '../../foundation/secrets/keyring.js';
import { boundedLog, type LogRefusal, ONCE_A_MINUTE } from '../../foundation/telemetry/logger.js';
import type { Metrics } from '../../foundation/telemetry/metrics.js';
import { startSpan, traceIdOf, traceparentOf } from '../../foundation/telemetry/spans.js';
import type { CallOf } from '../operation/call.js';
import { queryOf } from '../operation/find-operation.js';

export type Incoming = IncomingMessage & { url: string; method: string };

/** The response, with the context of its request. */
export type Reply = ServerResponse & {
  locals: {
    requestId: string;
    replacedRequestId?: string | undefined;
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
    /** The size of the answer's body, once it is made. */
    answerBytes?: number;
    /** The size that was counted before it was made. */
    expectedBytes?: number;
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

export const jsonHeaders = (requestId: string, json: string) => ({
  ...commonHeaders(requestId),
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Length': Buffer.byteLength(json),
});

/** If a client reads nothing of its answer for so long, its connection ends. */
export const UNREAD_MS = 10_000;

export function answerJson(reply: Reply, { status, body, headers }: Answer): void {
  const json = JSON.stringify(body);
  const ofJson = jsonHeaders(reply.locals.requestId, json);
  reply.locals.answerBytes = ofJson['Content-Length'];
  reply.writeHead(status, { ...ofJson, ...headers }).end(json);
  if (reply.writableLength > 0) reply.socket?.setTimeout(UNREAD_MS);
}

/**
 * Answers a thrown error with a code of the error table. An unexpected error is logged and its details are not shown.
 * An intended refusal, for example for overload, is not logged here: it is in the refusal log.
 */
export function createAnswerError(logger: Logger) {
  const log = boundedLog(logger);
  /** Every request that needs a key, or whose tenant moves, fails until the operator has acted. */
  const logOnceAMinute = boundedLog(logger, ONCE_A_MINUTE);
  return function answerError(error: unknown, reply: Reply): void {
    const { requestId, traceparent, operation, call, tenantId, mayHaveChanged = false } = reply.locals;
    const trace_id = traceIdOf(traceparent);
    const answer = toApiError(error, mayHaveChanged);
    const isDecided = error instanceof ApiError && error.cause === undefined;
    if (error instanceof KeyMissingError) logOnceAMinute('error', error.keyId, { key_id: error.keyId }, error.message);
    else if (answer.status >= 500 && !isDecided)
      log('error', answer.code, { err: error, request_id: requestId, trace_id, operation }, answer.code);
    const tenant_id = call?.tenantId ?? tenantId;
    if (answer.code === 'TENANT_MOVING')
      logOnceAMinute('info', `TENANT_MOVING ${tenant_id}`, { tenant_id }, 'the tenant moves: its requests are refused');
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

/** All values that were sent: Node joins or drops duplicates, and `__proto__` breaks its headersDistinct before 20.20.2. */
export const headerValues = ({ rawHeaders }: IncomingMessage, name: string): string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);

const LOGGED_LENGTH = 200;

/**
 * Keeps the caller's correlation id, or generates one. A gateway may have added one of any form, which its caller cannot
 * change: it is replaced, and the log has its printable characters.
 */
export function requestIdOf(req: IncomingMessage): { requestId: string; replacedRequestId?: string } {
  const given = headerValues(req, 'x-request-id');
  const [first] = given;
  if (first === undefined) return { requestId: newId() };
  if (given.length === 1 && patterns.requestId.test(first)) return { requestId: first };
  const printable = given.join(', ').replace(/[^\x20-\x7E]/g, '');
  return { requestId: newId(), replacedRequestId: printable.slice(0, LOGGED_LENGTH) };
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

/** The value of a JSON body; undefined for an empty one. */
export function parseBody(contentType: string | undefined, bytes: Buffer, maxDepth: number | undefined): unknown {
  if (bytes.length === 0) return undefined;
  if (contentType === undefined || !JSON_MEDIA_TYPE.test(contentType)) {
    const message = 'The body must be JSON. Send Content-Type: application/json.';
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', { message });
  }
  const parsed = parseJson(bytes, 'body', maxDepth);
  if ('value' in parsed) return parsed.value;
  const { location, message } = parsed.problem;
  throw new ApiError('MALFORMED_JSON', {
    message: `The body is not JSON with one unambiguous meaning: ${message}`,
    details: [{ location, code: 'MALFORMED_JSON', message }],
  });
}

/** What the gates have read. */
export type Parts = { params: Record<string, string>; body: unknown };

/** Before any item is checked: to refuse 100,000 items of a large body one by one took up to 300 ms of CPU. */
function refuseMany(route: Operation['route'], body: unknown): void {
  const { largeBody } = route.metadata;
  if (!largeBody || typeof body !== 'object' || body === null) return;
  const schema = 'body' in route && route.body instanceof z.ZodObject ? route.body.shape : {};
  const unknown = Object.keys(body).filter((name) => !(name in schema));
  const details = unknown.slice(0, MAX_DETAILS).map((name) => unknownField(locationOf('body', [name])));
  for (const [name, most] of Object.entries(largeBody.items)) {
    const items: unknown = (body as Record<string, unknown>)[name];
    if (!Array.isArray(items) || items.length <= most) continue;
    details.push({ location: `body/${name}`, code: 'TOO_BIG', message: `must have at most ${most} items` });
  }
  if (details.length > 0) throw validationFailed(details);
}

/** The request of an operation, validated against the contract. */
export function validRequest(route: Operation['route'], target: string, given: Parts) {
  refuseMany(route, given.body);
  const params = validateIfSchema(given.params, route.pathParams, { passThroughExtraKeys: true });
  const query = validateIfSchema(parse(queryOf(target)), route.query);
  const body = validateIfSchema(given.body, 'body' in route ? route.body : null);
  // A malformed id in a path is a 404 like a missing one: the answer does not reveal which ids exist.
  if (params.error) throw notFound();
  if (query.error || body.error) {
    throw validationFailed([...detailsIn('query', query.error ?? null), ...detailsIn('body', body.error ?? null)]);
  }
  return { params: params.value as Parts['params'], query: query.value, body: body.value };
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
    const { requestId, replacedRequestId, address, operation, call, tenantId, code, quota } = reply.locals;
    const seconds = (performance.now() - startedAt) / 1000;
    const status = reply.writableFinished ? reply.statusCode : ABANDONED;
    if (code === 'TENANT_MOVING' && status !== ABANDONED) metrics.countOfMovingTenant();
    else metrics.countRequest(operation ?? 'none', status, seconds);
    if (quota) metrics.countOverQuota(quota);
    if (operation) span?.updateName(operation);
    if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.setAttributes({ 'http.response.status_code': status, 'top.request_id': requestId }).end();
    const trace_id = traceIdOf(reply.locals.traceparent);
    const ids = { request_id: requestId, replaced_request_id: replacedRequestId, trace_id };
    if (code) logRefusal({ code, status: reply.statusCode, ...ids, tenant_id: tenantId, address, req });
    if (!logger.isLevelEnabled('debug')) return;
    const client_id = call?.caller.clientId;
    const duration_ms = Math.round(seconds * 1000);
    logger.debug({ ...ids, client_id, operation, method: req.method, status, code, duration_ms }, 'request');
  });
}
