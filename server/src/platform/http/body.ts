import type { IncomingMessage } from 'node:http';
import { parseJson } from '@tenant-open-platform/contract/strict-json';
import { ApiError } from '../operation/api-error.js';

/** Their content has no meaning (RFC 9110, 9.3). Other bodies are read before the caller is known. */
const BODILESS = new Set(['GET', 'HEAD', 'DELETE']);

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Reads the whole body, up to `limit` bytes, byte for byte: its hash is signed. */
export async function readBody(req: IncomingMessage, limit: number): Promise<Buffer> {
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
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        req.removeAllListeners('data');
        reject(tooLarge(limit));
      } else chunks.push(chunk);
    });
    req.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    req.once('error', () =>
      reject(new ApiError('MALFORMED_HTTP', { message: 'The request was not sent completely.' })),
    );
  });
}

const tooLarge = (limit: number) =>
  new ApiError('PAYLOAD_TOO_LARGE', { message: `The body is larger than ${limit} bytes. Send less.` });

const JSON_MEDIA_TYPE = /^application\/json[\t ]*(;[\t ]*charset="?utf-8"?[\t ]*)?$/i;

/** The value of a JSON body (undefined for an empty body), or the problem, which only an admitted caller learns. */
export function parseBody(
  contentType: string | undefined,
  bytes: Buffer,
  maxDepth: number | undefined,
): { value: unknown; problem?: undefined } | { problem: ApiError } {
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
