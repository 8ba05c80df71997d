import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, patterns } from '@tenant-open-platform/contract';
import { newId } from '../new-id.js';
import { ApiError } from '../operation/api-error.js';
import type { CallOf } from '../operation/call.js';

export type Incoming = IncomingMessage & { url: string; method: string; body?: unknown };

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
    params?: Record<string, string>;
    /** Set when the request is admitted. */
    call?: CallOf<ErrorCode>;
    /** True once a failure may leave a change behind. */
    mayHaveChanged?: boolean;
    code?: string;
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
  reply
    .writeHead(status, {
      ...commonHeaders(reply.locals.requestId),
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
      ...headers,
    })
    .end(text);
}

/** Keeps the caller's correlation id, or generates one. The refusal of a malformed id has a generated one. */
export function requestIdOf(req: IncomingMessage): { requestId: string; problem: ApiError | null } {
  const given = req.headersDistinct['x-request-id'] ?? [];
  const [first] = given;
  if (first === undefined) return { requestId: newId(), problem: null };
  if (given.length === 1 && patterns.requestId.test(first)) return { requestId: first, problem: null };
  return { requestId: newId(), problem: new ApiError('INVALID_REQUEST_ID') };
}
