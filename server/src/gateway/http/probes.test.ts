import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { type RunningServer, startServer } from '@tenant-open-platform/testing/start-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

const PROBES = ['/livez', '/readyz', '/metrics'];

let folder: string;
let server: RunningServer;
let probes: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'top-probes-'));
  const port = await freePort();
  probes = `http://127.0.0.2:${port}`;
  server = await startServer({ DATA_DIR: folder, PROBES_HOST: '127.0.0.2', PROBES_PORT: String(port) });
});

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const status = async (url: string) => (await fetch(url)).status;

test('with PROBES_PORT probes and metrics are served there and nowhere else', async () => {
  for (const path of PROBES) {
    expect([await status(probes + path), await status(server.baseUrl + path)]).toEqual([200, 404]);
  }
});

test('the first log lines of the process name the address of the probes', () => {
  expect(server.stdout()).toContain(`${probes}/readyz`);
});

test('the address of the probes serves nothing else', async () => {
  for (const path of ['/', '/openapi.json', '/api/v1/open/me']) {
    const answer = await fetch(probes + path);
    expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND' })]);
  }
  expect(await status(`${server.baseUrl}/openapi.json`)).toBe(200);
});
