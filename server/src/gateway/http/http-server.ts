import cluster from 'node:cluster';
import { createServer, IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type ErrorCode, errors } from '@tenant-open-platform/contract';
import { ApiError } from '../../foundation/api-error.js';
import { newId } from '../../foundation/ids.js';
import type { LogRefusal } from '../../foundation/telemetry/logger.js';
import { type AtLimit, type ConnectionLimits, openConnections } from './connections.js';
import { headerValues, jsonHeaders, requestIdOf } from './exchange.js';

/** Proxies look at a probe each second or so, and clients keep connections that they use in this time. */
const LAST_CALLS_MS = 1_000;
/** So long no client may have connected when the port closes: a connection that the kernel has then is reset. */
const QUIET_MS = 50;

type Options = ConnectionLimits & { logRefusal: LogRefusal; reportLimit: (atLimit: AtLimit) => void };

/** Node's HTTP server with its framing checks on. Their refusals get the same JSON body as all others. */
export function createHttpServer(listener: RequestListener, options: Options) {
  const { logRefusal, reportLimit } = options;
  const { all: connections, add } = openConnections(options, reportLimit);

  /**
   * Node parses all bytes it has read before any answer: thousands of pipelined requests of 8 KB memory each. Only an
   * upgrade stops its parser. So the first excess request counts as an upgrade, and no other request but CONNECT does:
   * a request that offers an upgrade is answered in HTTP/1.1.
   */
  class Request extends IncomingMessage {
    #isUpgrade: boolean | undefined;

    /** Node reads this after the headers and with every chunk of the body: the value must stay the same. */
    get upgrade(): boolean {
      this.#isUpgrade ??= this.method === 'CONNECT' || connections.get(this.socket)?.isFull === true;
      return this.#isUpgrade;
    }

    /** Node sets it according to the headers. */
    set upgrade(_: boolean) {}
  }

  const server = createServer({
    IncomingMessage: Request,
    headersTimeout: 5_000,
    requestTimeout: 10_000,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: 16_384,
    // Longer than the idle timeout of common load balancers (60 s), so that the load balancer closes first.
    keepAliveTimeout: 65_000,
    // framingProblem checks Host, because Node's own refusal has no body.
    requireHostHeader: false,
  });
  // Node would silently drop headers beyond 2,000, for example a second X-Api-Id. maxHeaderSize still bounds them.
  server.maxHeadersCount = 0;
  // Longer than the longest wait of a request (30 s). It ends the connection of a client that does not read its answer.
  server.timeout = 60_000;

  server.on('connection', add);

  /** While the server closes: the requests that have not begun. */
  let held: (() => void)[] | null = null;
  const begin: RequestListener = (req, res) => (held ? void held.push(() => listener(req, res)) : listener(req, res));
  const serve = (req: IncomingMessage, res: ServerResponse) => connections.get(req.socket)?.serve(req, res, begin);
  server.on('request', serve);
  // The listener refuses any expectation but 100-continue.
  server.on('checkExpectation', serve);

  const refuse = (socket: Duplex, code: ErrorCode, refused: IncomingMessage | null) => {
    const connection = connections.get(socket);
    connection?.refuse(() => {
      const req = refused ?? connection.incompleteRequest;
      const { requestId, replacedRequestId } = req ? requestIdOf(req) : { requestId: newId() };
      const ids = { request_id: requestId, replaced_request_id: replacedRequestId };
      logRefusal({ code, status: errors[code].status, ...ids, address: (socket as Socket).remoteAddress, req });
      return rawAnswer(code, requestId);
    });
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuse(socket, codeOfClientError[error.code ?? ''] ?? 'MALFORMED_HTTP', null);
  });
  // If the request's body is incomplete, Node 26 passes these listeners a stream that is not the socket.
  server.on('connect', (req) => refuse(req.socket, 'MALFORMED_HTTP', req));
  server.on('upgrade', (req) => connections.get(req.socket)?.stopReading());

  return {
    server,
    /**
     * Stops: for a second it still answers requests, and closes each connection after what has arrived there. Then it
     * finishes the requests in progress, and cuts them off after the limit.
     */
    async drain(limitMs: number): Promise<void> {
      // To close an idle connection would lose the request that its client may be sending.
      for (const connection of connections.values()) connection.closeAfterAnswer('STOPPING');
      let [quietAt, quietRounds] = [0, 0];
      server.on('connection', (socket) => {
        [quietAt, quietRounds] = [performance.now() + QUIET_MS, 0];
        connections.get(socket)?.closeAfterAnswer('STOPPING');
      });
      const lastCallsMs = Math.min(LAST_CALLS_MS, limitMs);
      await delay(lastCallsMs);
      // A round of the event loop accepts one connection that the kernel has. Clients that wait open no others.
      held = [];
      const until = performance.now() + 2 * lastCallsMs;
      quietAt = performance.now() + QUIET_MS;
      // After a pause of the process, time alone does not tell.
      while ((performance.now() < quietAt || quietRounds++ < 3) && performance.now() < until)
        await new Promise(setImmediate);
      for (const connection of connections.values()) connection.closeAfterAnswer();
      const closed = new Promise((resolve) => server.close(resolve));
      // With WORKERS the process that opened the port closes it now.
      if (cluster.isWorker) await delay(QUIET_MS);
      for (const start of held) start();
      held = null;
      const cutOff = setTimeout(() => {
        for (const socket of connections.keys()) socket.destroy();
      }, limitMs);
      await closed;
      clearTimeout(cutOff);
    },
  };
}

const codeOfClientError: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

function rawAnswer(code: ErrorCode, requestId: string): string {
  const body = JSON.stringify(new ApiError(code).body(requestId));
  const headers = Object.entries({ ...jsonHeaders(requestId, body), Connection: 'close' });
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${errors[code].status} ${code}`, ...lines, '', body].join('\r\n');
}

const VERSIONS = new Set(['1.0', '1.1']);
/** `uri-host [ ":" port ]` of RFC 3986. The host of an http URI is not empty (RFC 9110, 4.2.1). */
const HOST = /^(\[[0-9A-Fa-f:.]+\]|([A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+)(:[0-9]{0,5})?$/;

/** Framing that Node's parser accepts and this server refuses, because proxies read it in different ways. */
export function framingProblem(req: IncomingMessage): ApiError | null {
  const problem = malformation(req);
  if (problem) return new ApiError('MALFORMED_HTTP', { message: problem, headers: { Connection: 'close' } });
  const { expect } = req.headers;
  if (expect === undefined || expect.toLowerCase() === '100-continue') return null;
  return new ApiError('EXPECTATION_FAILED', { headers: { Connection: 'close' } });
}

function malformation(req: IncomingMessage): string | null {
  const { httpVersion, headers } = req;
  if (!VERSIONS.has(httpVersion)) return `HTTP/${httpVersion} is not supported. Send HTTP/1.1.`;
  const transfer = headers['transfer-encoding'];
  if (transfer !== undefined && transfer !== 'chunked') {
    return 'Transfer-Encoding must be the single value "chunked", sent once.';
  }
  if (transfer !== undefined && httpVersion === '1.0') return 'HTTP/1.0 has no Transfer-Encoding. Send HTTP/1.1.';
  const [host, ...others] = headerValues(req, 'host');
  if (host === undefined && httpVersion === '1.0') return null;
  if (host === undefined || others.length > 0) return 'The request must have exactly one Host header.';
  return HOST.test(host) ? null : 'The Host header is not a host with an optional port.';
}
