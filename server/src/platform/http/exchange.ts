import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Call } from './call.js';

export type Incoming = IncomingMessage & { url: string; method: string; body?: unknown };

/** An answer to come, with what is known of its request so far. */
export type Reply = ServerResponse & {
  locals: {
    requestId: string;
    /** The name of the operation, once it is known. */
    operation?: string;
    /** There once the request has passed the gates. */
    call?: Call;
    /** True once a failure may leave a change behind. */
    mayHaveChanged?: boolean;
    /** Of the refusal. */
    code?: string;
  };
};

type Answer = { status: number; body: unknown; headers?: Record<string, string> };

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
