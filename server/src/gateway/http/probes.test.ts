import { startNode } from '@tenant-open-platform/testing';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { expect, test } from 'vitest';

const PROBES = ['/livez', '/readyz', '/metrics'];

const port = await freePort();
const probes = `http://127.0.0.2:${port}`;
const server = await startNode({ PROBES_HOST: '127.0.0.2', PROBES_PORT: String(port) });

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
