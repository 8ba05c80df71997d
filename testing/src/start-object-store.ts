/// <reference path="./s3rver.d.ts" />
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';

export type ObjectStore = {
  endpoint: string;
  /** The file of an object is named after its bucket and key, plus `._S3rver_object`. */
  directory: string;
  bucket: string;
  access_key_id: string;
  secret_access_key: string;
  stop: () => Promise<void>;
};

/** What the owner of a bucket sets so that pages of a browser can use it. */
const CORS = `<CORSConfiguration><CORSRule>
  <AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod><AllowedMethod>PUT</AllowedMethod>
  <AllowedHeader>*</AllowedHeader><ExposeHeader>ETag</ExposeHeader>
</CORSRule></CORSConfiguration>`;

/** An S3-compatible store with one empty bucket, in this process. */
export async function startObjectStore(): Promise<ObjectStore> {
  const directory = mkdtempSync(join(tmpdir(), 'top-store-'));
  const bucket = 'acme';
  const store = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket, configs: [CORS] }],
  });
  // The store also serves unsigned requests, which the bucket of a tenant must not.
  store.middleware.unshift(async (context, next) => {
    if (!('X-Amz-Algorithm' in context.query)) context.throw(403);
    await next();
  });
  const { port } = await store.run();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    directory,
    bucket,
    access_key_id: 'S3RVER',
    secret_access_key: 'S3RVER',
    stop: async () => {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
