import { InvalidArgumentError } from '../errors.js';
import type { RuntimeBlob, RuntimeReadableStream } from '../runtime.js';
import { beginningOf, counted, reporter, type TransferOptions, type Transferring, transfer } from './transfer.js';

/** What can be uploaded; the last two are streams. Node's Readable is an AsyncIterable. */
export type UploadContent =
  | string
  | ArrayBuffer
  | Uint8Array
  | RuntimeBlob
  | RuntimeReadableStream
  | AsyncIterable<Uint8Array>;

export interface UploadOptions extends TransferOptions {
  /** The media type, for example `application/octet-stream`. Default: the type of a Blob, if it has one. */
  contentType?: string | undefined;
  /** The size of a stream in bytes; required for a stream. All other content has a known size. */
  contentLength?: number | undefined;
  /**
   * SHA-256 of the content in base64, for the store to compare; false for none. Default: computed, except for streams
   * and for content above 64 MiB, which would have to be in memory as a whole.
   */
  checksumSha256?: string | false | undefined;
}

/** The stored object. */
export interface UploadedObject {
  resource_id: string;
  object_key: string;
  content_type: string;
  /** The size in bytes. */
  content_length: number;
  /** The SHA-256 that was signed, in base64; null for none. */
  checksum_sha256: string | null;
  /** The ETag of the store; null if it does not report one. */
  etag: string | null;
  /** The grant, as the platform recorded it. */
  presign_id: string;
  /** Correlation id of the presign call. */
  request_id: string;
}

const MAX_HASHED_BYTES = 64 * 1024 ** 2;
const CHUNK_BYTES = 512 * 1024;

export async function upload(
  client: Transferring,
  target: { resource_id: string; object_key: string },
  content: UploadContent,
  { contentType, contentLength, checksumSha256, ...options }: UploadOptions = {},
): Promise<UploadedObject> {
  const { blob, stream } = blobOrStream(content);
  const content_type = contentType || blob?.type;
  if (!content_type) throw new InvalidArgumentError('contentType is required: the content does not tell its type.');
  const content_length = blob?.size ?? contentLength;
  if (content_length === undefined) throw new InvalidArgumentError('contentLength is required for a stream.');
  const checksum_sha256 = (checksumSha256 ?? (await checksumOf(blob))) || null;
  const described = { ...target, content_type, content_length };
  const request = { operation: 'UPLOAD' as const, ...described, ...(checksum_sha256 && { checksum_sha256 }) };
  const isRepeatable = stream === undefined;
  let unread = stream;
  const uploaded = transfer(client, request, { ...options, isRepeatable }, async ({ grant, exchange, unreadable }) => {
    const report = reporter(options.onProgress, content_length);
    const body = stream
      ? { body: withLength(counted(stream, report, unreadable), content_length), duplex: 'half' as const }
      : { body: blob.size === 0 ? '' : watched(blob, report, unreadable) };
    if (body.body instanceof ReadableStream) unread = body.body;
    const response = await exchange({ ...body, redirect: refusingRedirects() });
    // Reading the answer frees the connection for another request. Its information is in the headers.
    await beginningOf(response.body).catch(() => {});
    report(content_length);
    const { presign_id, request_id } = grant;
    return { ...described, checksum_sha256, etag: response.headers.get('etag'), presign_id, request_id };
  });
  return uploaded.catch((error) => {
    // Node's fetch does not end a stream that it has not begun to read, for example if it cannot connect.
    if (unread && !unread.locked) unread.cancel(error).catch(() => {});
    throw error;
  });
}

/**
 * With any value but `error`, Node's fetch keeps all sent bytes in memory in case of a redirect. Workers refuse
 * `error`; with `manual` a redirect is an answer of the store and is refused as such.
 */
function refusingRedirects(): 'error' | 'manual' {
  try {
    new Request('https://store.example', { redirect: 'error' });
    return 'error';
  } catch {
    return 'manual';
  }
}

/** Workers send a stream in chunks, which stores refuse, unless the stream itself knows its length. */
function withLength(stream: ReadableStream, length: number): ReadableStream {
  const { FixedLengthStream } = globalThis as {
    FixedLengthStream?: new (length: number) => { readable: ReadableStream; writable: WritableStream };
  };
  return FixedLengthStream ? stream.pipeThrough(new FixedLengthStream(length)) : stream;
}

type BlobOrStream = { blob: Blob; stream?: never } | { blob?: never; stream: ReadableStream };

function blobOrStream(content: UploadContent): BlobOrStream {
  if (content instanceof Blob) return { blob: content };
  if (content instanceof ReadableStream) return { stream: content };
  if (typeof content === 'string' || content instanceof ArrayBuffer || ArrayBuffer.isView(content)) {
    return { blob: new Blob([content as Uint8Array<ArrayBuffer>]) };
  }
  if (typeof content === 'object' && content !== null && Symbol.asyncIterator in content) {
    return { stream: streamOf(content) };
  }
  throw new InvalidArgumentError(
    "The content must be a string, an ArrayBuffer, a Uint8Array, a Blob, a ReadableStream or an AsyncIterable such as Node's Readable.",
  );
}

/** Like ReadableStream.from, which some runtimes lack. */
function streamOf(content: AsyncIterable<Uint8Array>): ReadableStream {
  const iterator = content[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        // There is no other way to end a Readable that nobody began to read.
        (content as { destroy?(): void }).destroy?.();
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

async function checksumOf(blob: Blob | undefined): Promise<string | null> {
  if (!blob || blob.size > MAX_HASHED_BYTES) return null;
  const digest = await crypto.subtle.digest('SHA-256', await blob.arrayBuffer());
  return btoa(String.fromCharCode(...new Uint8Array(digest)));
}

/**
 * The same Blob, with a report of how much of it was read. Each stream reports from the beginning, because fetch may
 * create several. As for every Blob, fetch sends its size as Content-Length. Node and Deno read it through `stream()`,
 * where large chunks are faster than the Blob's own. A runtime that reads Blobs in another way reports everything at
 * the end.
 */
function watched(blob: Blob, report: (transferredBytes: number) => void, unreadable: (cause: unknown) => unknown) {
  const stream = () => {
    let at = 0;
    return new ReadableStream(
      {
        async pull(controller) {
          try {
            const bytes = new Uint8Array(await blob.slice(at, at + CHUNK_BYTES).arrayBuffer());
            if (bytes.length === 0) return controller.close();
            at += bytes.length;
            report(at);
            controller.enqueue(bytes);
          } catch (cause) {
            controller.error(unreadable(cause));
          }
        },
      },
      { highWaterMark: 0 },
    );
  };
  return Object.assign(new Blob([blob]), { stream });
}
