import type { TenantOpenPlatform } from '@tenant-open-platform/sdk';
import { type DownloadedObject, download } from './download.js';
import type { TransferOptions } from './transfer.js';
import { type UploadContent, type UploadedObject, type UploadOptions, upload } from './upload.js';

export type { DownloadedObject } from './download.js';
export { isObjectStoreError, ObjectStoreError } from './object-store-error.js';
export type { TransferOptions, TransferProgress } from './transfer.js';
export type { UploadContent, UploadedObject, UploadOptions } from './upload.js';

/**
 * Presigns an upload and sends the content to the store. Size, type and, up to 64 MiB, SHA-256 of the content are signed:
 * the store refuses any other, of another SHA-256 if it checks that, as S3 does.
 *
 * ```ts
 * await uploadObject(client, resourceId, 'pump-7/2.4.1.bin', blob, { contentType: 'application/octet-stream' });
 * ```
 *
 * Retried, but for a stream, which can be read once. A stream needs `contentLength` and a runtime whose `fetch` sends it
 * with that Content-Length instead of in chunks, which stores refuse: Node and Bun. Elsewhere use a Blob.
 * Scope open:object:create. Errors: those of `client.objects.presign`; `ObjectStoreError` where the store refuses.
 */
export function uploadObject(
  client: TenantOpenPlatform,
  resourceId: string,
  objectKey: string,
  content: UploadContent,
  options: UploadOptions = {},
): Promise<UploadedObject> {
  return upload(client, { resource_id: resourceId, object_key: objectKey }, content, options);
}

/**
 * Presigns a download and resolves when the store begins to answer. The content is in `body`, or whole in `bytes()`,
 * `blob()` or `text()`.
 *
 * ```ts
 * const object = await downloadObject(client, resourceId, 'pump-7/2.4.1.bin');
 * await writeFile('2.4.1.bin', object.body);
 * ```
 *
 * Retried until the store begins to answer. Scope open:object:create. Errors: those of `client.objects.presign`;
 * `ObjectStoreError` where the store refuses, for example with 404 `NoSuchKey`.
 */
export function downloadObject(
  client: TenantOpenPlatform,
  resourceId: string,
  objectKey: string,
  options: TransferOptions = {},
): Promise<DownloadedObject> {
  return download(client, { resource_id: resourceId, object_key: objectKey }, options);
}
