import type { Configuration } from '../configuration.js';
import { resourceClass } from '../core/resource-class.js';
import type { Sender } from '../core/send.js';
import type { DownloadedObject } from '../objects/download.js';
import type { TransferOptions, Transferring } from '../objects/transfer.js';
import type { UploadContent, UploadedObject, UploadOptions } from '../objects/upload.js';
import type { ObjectsResource } from '../resources.gen.js';

export class Objects extends resourceClass<ObjectsResource>('objects') {
  readonly #transferring: Transferring;

  /** @internal */
  constructor(sender: Sender, configuration: Configuration) {
    super(sender);
    this.#transferring = { presign: (request, options) => this.presign(request, options), configuration };
  }

  /**
   * Presigns an upload and sends the content to the store. Size, type and, up to 64 MiB, SHA-256 of the content are
   * signed. The store refuses another size or type, and another SHA-256 if it checks it, as S3 does.
   *
   * ```ts
   * await client.objects.upload(resourceId, 'pump-7/2.4.1.bin', blob, { contentType: 'application/octet-stream' });
   * ```
   *
   * Retried, except for a stream: it can be read only once, and is canceled if it is not sent. A stream needs
   * `contentLength`, and a runtime whose `fetch` sends this Content-Length instead of chunks, which stores refuse:
   * Node, Bun or Workers. In other runtimes use a Blob.
   * Scope open:object:create. Errors: those of {@link presign}; `ObjectStoreError` if the store refuses. If the content
   * cannot be read, rejects with the error of reading it.
   */
  async upload(
    resourceId: string,
    objectKey: string,
    content: UploadContent,
    options?: UploadOptions,
  ): Promise<UploadedObject> {
    // A Readable that fails before it is read keeps the error for its reader. Without a listener the error would end
    // the process.
    (content as { on?(event: 'error', listener: () => void): void } | undefined)?.on?.('error', () => {});
    const target = { resource_id: resourceId, object_key: objectKey };
    const { upload } = await import('../objects/transfers.js');
    return upload(this.#transferring, target, content, options);
  }

  /**
   * Presigns a download and resolves when the store begins to answer. Read the content as a stream from `body`, or
   * whole with `bytes()`, `blob()` or `text()`.
   *
   * ```ts
   * const object = await client.objects.download(resourceId, 'pump-7/2.4.1.bin');
   * await writeFile('2.4.1.bin', object.body);
   * ```
   *
   * An object that was stored with a Content-Encoding, which an upload need not sign, arrives decoded: its size and
   * checksum differ from the stored ones, and `x.tar.gz` is unpacked. `content_encoding` names the encoding. To get the
   * stored bytes, {@link presign} the download and use an HTTP client that does not decode.
   *
   * Retried until the store begins to answer. Scope open:object:create. Errors: those of {@link presign};
   * `ObjectStoreError` if the store refuses, for example with 404 `NoSuchKey`.
   */
  async download(resourceId: string, objectKey: string, options?: TransferOptions): Promise<DownloadedObject> {
    const target = { resource_id: resourceId, object_key: objectKey };
    const { download } = await import('../objects/transfers.js');
    return download(this.#transferring, target, options);
  }
}
