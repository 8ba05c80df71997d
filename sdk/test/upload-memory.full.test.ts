import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test } from 'vitest';
import { credential } from './fake-fetch.js';

const SIZE = 512 * 1024 ** 2;

const program = `
import { openAsBlob } from 'node:fs';
import { TenantOpenPlatform } from '@tenant-open-platform/sdk';

const { BASE_URL: baseUrl, FILE: file, CONTENT: content } = process.env;
const client = new TenantOpenPlatform({ baseUrl, ...${JSON.stringify(credential)} });
const blob = await openAsBlob(file);
await client.objects.upload('resource', 'key', content === 'blob' ? blob : blob.stream(), {
  contentType: 'application/octet-stream',
  contentLength: blob.size,
  ...(process.env.PROGRESS && { onProgress: () => {} }),
});
console.log(process.resourceUsage().maxRSS * 1024);
`;

test.each([
  ['a Blob', { CONTENT: 'blob', PROGRESS: 'true' }],
  ['a stream', { CONTENT: 'stream' }],
])('%s is uploaded in chunks, and never in memory as a whole', async (_, environment) => {
  const folder = temporaryFolder();
  const file = join(folder, 'large');
  writeFileSync(file, '');
  truncateSync(file, SIZE);

  let received = 0;
  const server = createServer((request, response) => {
    const isUpload = request.method === 'PUT';
    request.on('data', (chunk: Buffer) => {
      received += isUpload ? chunk.length : 0;
    });
    const headers = { 'Content-Type': 'application/octet-stream', 'Content-Length': String(SIZE) };
    const grant = { method: 'PUT', url: `${BASE_URL}/store`, headers, presign_id: 'p1', request_id: 'r1' };
    request.on('end', () => response.end(isUpload ? '' : JSON.stringify(grant)));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { BASE_URL, FILE: file, ...environment },
  });
  expect(received).toBe(SIZE);
  expect(Number(stdout)).toBeLessThan(SIZE / 2);
});
