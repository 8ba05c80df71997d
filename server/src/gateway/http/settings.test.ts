import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { platform, sign, startNode } from '@tenant-open-platform/testing';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { expect, test, vi } from 'vitest';
import { parse } from 'yaml';

const ABANDONED = /^top_request_duration_seconds_count\{operation="none",status="499"\} (\d+)$/m;
const PROBES = ['/livez', '/readyz', '/metrics'];

const port = await freePort();
const probes = `http://127.0.0.2:${port}`;
/** A node of its own: it counts only requests of this file. */
const server = await startNode({
  PROBES_HOST: '127.0.0.2',
  PROBES_PORT: String(port),
  BASE_PATH: '/platform',
  REFERENCE_PAGE: 'false',
  CONSOLE: 'false',
});
const { origin } = new URL(server.baseUrl);

const released = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('@tenant-open-platform/contract/openapi.json'), 'utf8'),
);

const status = async (url: string) => (await fetch(url)).status;

test('with PROBES_PORT probes and metrics are served there and nowhere else', async () => {
  for (const path of PROBES) {
    expect(await status(probes + path)).toBe(200);
    for (const url of [origin, server.baseUrl]) expect(await status(url + path)).toBe(404);
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

test('OpenAPI names the platform that serves it, below its path prefix', async () => {
  const serversOf = async (url: string) => ((await (await fetch(url)).json()) as { servers: object[] }).servers;
  const moved = { ...released, servers: [{ ...released.servers[0], url: '/platform' }] };
  for (const encoding of ['br', 'gzip', 'identity']) {
    const read = async (path: string) =>
      (await fetch(`${origin}/platform${path}`, { headers: { 'Accept-Encoding': encoding } })).text();
    expect(JSON.parse(await read('/openapi.json'))).toEqual(moved);
    expect(parse(await read('/openapi.yaml'))).toEqual(moved);
  }
  expect(await serversOf(`${platform().nodes[0]}/openapi.json`)).toMatchObject([{ url: '/' }]);
  // REFERENCE_PAGE is false here.
  expect((await fetch(`${origin}/docs`)).status).toBe(404);
  expect((await fetch(`${origin}/platform/docs/guides`)).status).toBe(404);
  const errorsPage = await fetch(`${origin}/platform/docs/errors`);
  expect(errorsPage.status).toBe(200);
  const needed = [...(await errorsPage.text()).matchAll(/(?:href|src)="(?!#|https:)([^"]+)"/g)].map(
    ([, path]) => path as string,
  );
  expect(needed).toEqual(['icon.svg', 'guides.css']);
  for (const path of needed) expect((await fetch(`${origin}/platform/docs/${path}`)).status).toBe(200);
  expect((await fetch(`${origin}/docs/page.js`)).status).toBe(404);
  expect((await fetch(`${origin}/console`)).status).toBe(404);
});

test('counts a request whose caller disconnected before the answer as 499', async () => {
  const { demo } = server;
  const abandoned = async () => {
    const metrics = await (await fetch(`${probes}/metrics`)).text();
    return Number(ABANDONED.exec(metrics)?.[1] ?? 0);
  };
  const target = '/api/v1/open/downlink/commands';
  const headers = Object.entries(sign(demo, 'POST', target)).map((pair) => `${pair.join(': ')}\r\n`);
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname, () => {
    const head = `POST /platform${target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nExpect: 100-continue\r\n${headers.join('')}\r\n`;
    socket.write(head);
  });
  // The server asks for the body once it has seen the headers. The body never arrives.
  socket.once('data', () => socket.destroy());
  await vi.waitFor(async () => expect(await abandoned()).toBe(1), { timeout: 60_000, interval: 10 });
});
