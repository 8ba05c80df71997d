import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../operation/api-error.js';

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

function malformation({ httpVersion, rawHeaders, headers }: IncomingMessage): string | null {
  if (!VERSIONS.has(httpVersion)) return `HTTP/${httpVersion} is not supported. Send HTTP/1.1.`;
  const transfer = headers['transfer-encoding'];
  if (transfer !== undefined && transfer !== 'chunked') {
    return 'Transfer-Encoding must be the single value "chunked", sent once.';
  }
  if (transfer !== undefined && httpVersion === '1.0') return 'HTTP/1.0 has no Transfer-Encoding. Send HTTP/1.1.';
  // If there are two Host headers, Node keeps the first.
  const hosts = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host');
  if (hosts.length === 0 && httpVersion === '1.0') return null;
  if (hosts.length !== 1) return 'The request must have exactly one Host header.';
  return HOST.test(hosts[0] as string) ? null : 'The Host header is not a host with an optional port.';
}

type WithParser = Socket & { parser?: { getCurrentBuffer?(): Buffer | undefined } };

/**
 * Node's parser accepts `GET /path RTSP/1.0` and does not tell it from HTTP/1.0. Its current bytes hold the request
 * line, unless that was sent in pieces.
 */
export function isRtsp({ method, url, socket }: IncomingMessage): boolean {
  const bytes = (socket as WithParser).parser?.getCurrentBuffer?.();
  if (!bytes?.includes(' RTSP/')) return false;
  const lines = bytes.toString('latin1').split('\n');
  return lines.some((line) => {
    const [itsMethod, itsUrl, protocol] = line.split(/ +/);
    return itsMethod === method && itsUrl === url && protocol?.startsWith('RTSP/');
  });
}
