import type { RuntimeBlob, RuntimeReadableStream } from '../runtime.js';
import { counted, reporter, type TransferOptions, type Transferring, transfer } from './transfer.js';

/** An object whose content arrives from the store. It can be read once: as `body`, or whole. */
export interface DownloadedObject {
  resource_id: string;
  object_key: string;
  /** The media type; null if the store does not report it. */
  content_type: string | null;
  /**
   * The Content-Encoding of the stored object, such as `gzip`; null for none. `fetch` has undone the encodings that it
   * knows, so the content differs from the stored bytes and may have any size.
   */
  content_encoding: string | null;
  /** The size in bytes; null if the store does not report it, or reports a `content_encoding`. */
  content_length: number | null;
  /** The ETag of the store; null if it does not report one. */
  etag: string | null;
  /** The grant, as the platform recorded it. */
  presign_id: string;
  /** Correlation id of the presign call. */
  request_id: string;
  /** The bytes as they arrive. Reading fails if the transfer breaks off; it is not resumed. */
  body: RuntimeReadableStream;
  bytes(): Promise<Uint8Array>;
  blob(): Promise<RuntimeBlob>;
  text(): Promise<string>;
}

export function download(
  client: Transferring,
  target: { resource_id: string; object_key: string },
  options: TransferOptions = {},
): Promise<DownloadedObject> {
  return transfer(client, { operation: 'DOWNLOAD', ...target }, options, async ({ grant, exchange, explain }) => {
    const response = await exchange({ redirect: 'manual' });
    const header = (name: string) => response.headers.get(name);
    const size = header('content-length');
    const content_encoding = header('content-encoding');
    // For content that fetch decodes, Content-Length is the length of the encoded bytes.
    const content_length = size === null || content_encoding ? null : Number(size);
    const content_type = header('content-type');
    const body = counted(response.body ?? new Blob([]).stream(), reporter(options.onProgress, content_length), explain);
    const whole = () => new Response(body, content_type === null ? {} : { headers: { 'Content-Type': content_type } });
    return {
      ...target,
      content_type,
      content_encoding,
      content_length,
      etag: header('etag'),
      presign_id: grant.presign_id,
      request_id: grant.request_id,
      body,
      bytes: async () => new Uint8Array(await whole().arrayBuffer()),
      blob: () => whole().blob(),
      text: () => whole().text(),
    };
  });
}
