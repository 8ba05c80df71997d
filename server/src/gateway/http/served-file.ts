import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

const BROTLI_QUALITY = 9;

const compress = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
  identity: async (bytes: Buffer) => bytes,
};

type Encoding = keyof typeof compress;

/** A public file: compressed once for all readers, and not sent again to those that have it. */
export type ServedFile = (req: Request, res: Response) => Promise<void>;

/** `read` runs at the first request. */
export function servedFile(contentType: string, read: () => Buffer | string): ServedFile {
  let content: { bytes: Buffer; etag: string } | undefined;
  const encoded = new Map<Encoding, Promise<Buffer>>();

  const load = () => {
    if (content) return content;
    const bytes = Buffer.from(read());
    // Weak: one tag for all encodings.
    content = { bytes, etag: `W/"${createHash('sha256').update(bytes).digest('base64url')}"` };
    return content;
  };

  const encode = (encoding: Encoding, bytes: Buffer) => {
    const known = encoded.get(encoding) ?? compress[encoding](bytes);
    encoded.set(encoding, known);
    return known;
  };

  return async (req, res) => {
    const { bytes, etag } = load();
    res.set({ 'Cache-Control': 'no-cache', ETag: etag }).vary('Accept-Encoding');
    if (hasIt(req.get('If-None-Match'), etag)) return void res.status(304).end();
    const encoding = (req.acceptsEncodings('br', 'gzip', 'identity') || 'identity') as Encoding;
    if (encoding !== 'identity') res.set('Content-Encoding', encoding);
    res.type(contentType).send(await encode(encoding, bytes));
  };
}

const hasIt = (ifNoneMatch: string | undefined, etag: string) =>
  ifNoneMatch?.split(',').some((tag) => [etag, etag.slice('W/'.length), '*'].includes(tag.trim())) ?? false;
