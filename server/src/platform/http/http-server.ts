import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, errors } from '@tenant-open-platform/contract';
import { newId } from '../new-id.js';
import { ApiError } from './api-error.js';
import { requestIdOf } from './request-id.js';

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
      // Node's own refusal has no body: see hasOneHost.
      requireHostHeader: false,
    },
    (req, res) => (hasOneHost(req) ? listener(req, res) : answer(req, res, 'MALFORMED_HTTP')),
  );
  // Node would drop the headers beyond 2,000 unseen, a second X-Api-Id among them. maxHeaderSize bounds them anyway.
  server.maxHeadersCount = 0;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuse(socket, codeOfClientError[error.code ?? ''] ?? 'MALFORMED_HTTP');
  });
  server.on('connect', (_req: IncomingMessage, socket: Duplex) => refuse(socket, 'MALFORMED_HTTP'));
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => answer(req, res, 'EXPECTATION_FAILED'));
  return server;
}

/** RFC 9112, 3.2. HTTP/1.0 knows no Host. */
function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

function answer(req: IncomingMessage, res: ServerResponse, code: ErrorCode): void {
  const { status, headers, body } = answerOf(code, requestIdOf(req).requestId);
  res.writeHead(status, headers).end(body);
}

const codeOfClientError: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

function refuse(socket: Duplex, code: ErrorCode): void {
  if (!socket.writable || owesAnotherAnswer(socket)) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = answerOf(code, newId());
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${code}\r\n${lines.join('')}\r\n${body}`);
}

/**
 * An answer under way must not have another written into its middle, nor one that the caller would take for it: only
 * where the refused bytes belong to the very request that waits for an answer may it be refused.
 */
function owesAnotherAnswer(socket: Duplex): boolean {
  const underWay = '_httpMessage' in socket && (socket._httpMessage as ServerResponse | null);
  return !!underWay && (underWay.headersSent || underWay.req.complete);
}

function answerOf(code: ErrorCode, requestId: string) {
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
