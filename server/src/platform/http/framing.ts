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

const MAX_RTSP_LOOKED_AT = 16;

/**
 * Node's parser takes `GET /path RTSP/1.0` for HTTP/1.0. Only the bytes that it has just read show the difference, so
 * such a request is refused only if its request line arrives in one piece. They may hold thousands of occurrences for
 * each of ten pipelined requests: only the first ones are looked at.
 */
export function isRtsp({ method = '', url = '', socket }: IncomingMessage): boolean {
  const bytes = (socket as WithParser).parser?.getCurrentBuffer?.();
  let at = bytes?.indexOf(' RTSP/') ?? -1;
  for (let looked = 0; bytes && at !== -1 && looked < MAX_RTSP_LOOKED_AT; looked++) {
    const urlAt = startOfWord(bytes, url, at);
    if (urlAt !== -1 && startOfWord(bytes, method, urlAt) !== -1) return true;
    at = bytes.indexOf(' RTSP/', at + 1);
  }
  return false;
}

/** Where the word starts that ends at `end`, or before the spaces there; -1 if it is another word. */
function startOfWord(bytes: Buffer, word: string, end: number): number {
  let wordEnd = end;
  while (bytes[wordEnd - 1] === SPACE) wordEnd--;
  const start = wordEnd - word.length;
  return start >= 0 && bytes.toString('latin1', start, wordEnd) === word ? start : -1;
}

const SPACE = 0x20;
