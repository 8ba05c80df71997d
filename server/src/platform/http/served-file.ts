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

  function load() {
    const bytes = Buffer.from(read());
    // Weak: one tag for all encodings.
    return { bytes, etag: `W/"${createHash('sha256').update(bytes).digest('base64url')}"` };
  }

  const encode = (encoding: Encoding, bytes: Buffer) => {
    const known = encoded.get(encoding) ?? compress[encoding](bytes);
    encoded.set(encoding, known);
    return known;
  };

  return async (req, res) => {
    content ??= load();
    const { bytes, etag } = content;
    res.set({ 'Cache-Control': 'no-cache', ETag: etag }).vary('Accept-Encoding');
    if (req.fresh) return void res.status(304).end();
    const encoding = (req.acceptsEncodings('br', 'gzip', 'identity') || 'identity') as Encoding;
    if (encoding !== 'identity') res.set('Content-Encoding', encoding);
    res.type(contentType).send(await encode(encoding, bytes));
  };
}
