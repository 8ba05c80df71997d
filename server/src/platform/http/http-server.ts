import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, errors } from '@tenant-open-platform/contract';
import { v7 as uuid } from 'uuid';
import { ApiError } from './api-error.js';

/** Node's HTTP server with its framing refusals on, answering them with the JSON error of every other refusal. */
export function createHttpServer(listener: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: 5_000,
      requestTimeout: 10_000,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 16_384,
      // Longer than the idle timeout of usual load balancers (60 s), so that it is theirs that closes.
      keepAliveTimeout: 65_000,
    },
    listener,
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuse(socket, codeOfClientError[error.code ?? ''] ?? 'MALFORMED_HTTP');
  });
  server.on('connect', (_req: IncomingMessage, socket: Duplex) => refuse(socket, 'MALFORMED_HTTP'));
  server.on('checkExpectation', (_req: IncomingMessage, res: ServerResponse) => {
    const { status, headers, body } = answerOf('EXPECTATION_FAILED');
    res.writeHead(status, headers).end(body);
  });
  return server;
}

const codeOfClientError: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

function refuse(socket: Duplex, code: ErrorCode): void {
  // An answer under way on this connection must not have another written into its middle.
  const underWay = '_httpMessage' in socket && socket._httpMessage;
  if (!socket.writable || underWay) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = answerOf(code);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${code}\r\n${lines.join('')}\r\n${body}`);
}

function answerOf(code: ErrorCode) {
  const requestId = uuid();
  const body = JSON.stringify(new ApiError(code).body(requestId));
  return {
    status: errors[code].status,
    body,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(body)),
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      Connection: 'close',
    },
  };
}
