import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTenant, temporaryFolder } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { binary } from '../test/built-topctl.js';
import { environmentOf } from '../test/topctl.js';

const topctl = (argv: string[], env: Record<string, string> = {}, cwd?: string) =>
  promisify(execFile)(process.execPath, [binary, ...argv], { env, cwd });

test('the built binary signs a request and prints JSON into a pipe', async () => {
  const { reader } = await createTenant();
  const { stdout, stderr } = await topctl(['whoami'], environmentOf(reader));
  expect(JSON.parse(stdout)).toMatchObject({ client_id: reader.client_id });
  expect(stderr).toBe('');
});

test('the built binary ends with the documented exit code', async () => {
  const failed = topctl(['commands', 'create']);
  await expect(failed).rejects.toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--vendor') });
});

test('Ctrl-C ends a download of the built binary, and no part of the file is left', async () => {
  const { admin, operator } = await createTenant();
  const store = createServer((_, response) => response.writeHead(200, { 'Content-Length': 100 }).write('a part'));
  await once(store.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    store.close();
    store.closeAllConnections();
  });
  const endpoint = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
  const cwd = temporaryFolder();
  await writeFile(join(cwd, 'secret'), 'S3RVER');
  const make = async (...argv: string[]) =>
    (await topctl([...argv, '-o', 'id'], environmentOf(admin), cwd)).stdout.trim();
  const access = ['--endpoint', endpoint, '--region', 'r', '--access-key-id', 'A', '--force-path-style', 'true'];
  const secret = ['--secret-access-key-file', 'secret'];
  const credentialId = await make('object-credentials', 'create', '--name', 'S', ...access, ...secret);
  const policy = ['--credential-id', credentialId, '--bucket', 'acme', '--allowed-operations', 'DOWNLOAD'];
  const resourceId = await make('object-resources', 'create', '--name', 'R', ...policy);

  const flags = ['--resource-id', resourceId, '--object-key', 'k'];
  const downloading = spawn(process.execPath, [binary, 'objects', 'download', 'file', ...flags], {
    env: environmentOf(operator),
    cwd,
    stdio: 'ignore',
  });
  const ended = once(downloading, 'exit');
  await vi.waitFor(async () => expect(await readdir(cwd)).toHaveLength(2), { timeout: 60_000 });
  downloading.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
  expect(await readdir(cwd)).toEqual(['secret']);
});

test('Tab completes commands, flags and the values of a flag', async () => {
  const completed = async (...words: string[]) => (await topctl(['complete', '--', ...words])).stdout;
  expect(await completed('credentials', 'ro')).toMatch(/^rotate\t/);
  expect(await completed('commands', 'create', '--time')).toMatch(/^--timeout-seconds\t/);
  expect(await completed('tenants', 'update', '--status', 'D')).toMatch(/^DISABLED\b/);
  expect((await topctl(['completion', 'bash'])).stdout).toContain('complete -F __topctl_complete topctl');
});
