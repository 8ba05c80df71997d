import { existsSync, openAsBlob, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import S3rver from '@20minutes/s3rver';
import { isApiError, TenantOpenPlatform } from '@tenant-open-platform/sdk';

/** From TOP_BASE_URL, TOP_CLIENT_ID and TOP_SECRET; without them, from a profile that topctl wrote. */
function connect(): TenantOpenPlatform {
  if (process.env.TOP_CLIENT_ID) return new TenantOpenPlatform();
  const file = process.env.TOP_PROFILE_FILE ?? fileURLToPath(new URL('../../data/demo-objects.json', import.meta.url));
  if (!existsSync(file)) {
    console.error(
      `There is no ${file}: create it as in docs/objects.md, with the roles tenant_admin and integration_operator.`,
    );
    process.exit(1);
  }
  const profile = JSON.parse(readFileSync(file, 'utf8'));
  return new TenantOpenPlatform({ baseUrl: profile.base_url, clientId: profile.client_id, secret: profile.secret });
}

/** Registers the access key of a store and its permissions for the duration of the work. */
async function withResource(client: TenantOpenPlatform, endpoint: string, work: (resourceId: string) => Promise<void>) {
  const { credential_id } = await client.objectCredentials.create({
    name: 'Example store',
    endpoint,
    region: 'us-east-1',
    force_path_style: true,
    access_key_id: 'S3RVER',
    secret_access_key: 'S3RVER',
  });
  try {
    const { resource_id } = await client.objectResources.create({
      name: 'Example files',
      credential_id,
      bucket: 'acme',
      key_prefix: 'firmware/',
      allowed_operations: ['UPLOAD', 'DOWNLOAD'],
      allowed_content_types: ['application/octet-stream'],
      max_object_bytes: 10_000_000,
    });
    try {
      await work(resource_id);
    } finally {
      await tidyUp('resource', client.objectResources.delete(resource_id));
    }
  } finally {
    await tidyUp('credential', client.objectCredentials.delete(credential_id));
  }
}

/** It throws nothing: an error here would hide the error of the upload. */
async function tidyUp(what: string, deleting: Promise<unknown>): Promise<void> {
  try {
    await deleting;
  } catch (error) {
    console.error(`The ${what} of this example is not deleted:`, error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

const client = connect();
const folder = await mkdtemp(join(tmpdir(), 'top-upload-object-'));
const store = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory: join(folder, 'store'),
  configureBuckets: [{ name: 'acme' }],
});
try {
  const { port } = await store.run();
  await withResource(client, `http://127.0.0.1:${port}`, async (resourceId) => {
    const file = join(folder, 'firmware.bin');
    await writeFile(file, crypto.getRandomValues(new Uint8Array(60_000)));
    const uploaded = await client.objects.upload(resourceId, 'pump-7/2.4.1.bin', await openAsBlob(file), {
      contentType: 'application/octet-stream',
      onProgress: ({ transferredBytes, totalBytes }) =>
        console.error(`sent ${transferredBytes} of ${totalBytes} bytes`),
    });

    const object = await client.objects.download(resourceId, 'pump-7/2.4.1.bin');
    const identical = (await readFile(file)).equals(await object.bytes());
    console.log(JSON.stringify({ ...uploaded, identical }, null, 2));
    if (!identical) process.exitCode = 1;
  });
} catch (error) {
  if (!isApiError(error)) throw error;
  console.error(`${error.code}: ${error.message} (request ${error.requestId})`);
  process.exitCode = 1;
} finally {
  await store.close();
  await rm(folder, { recursive: true });
}
