import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/audit.mjs', import.meta.url));

/** Runs the check against a registry. `advised` is a package with an advisory, as installed in the folder `by`. */
async function audit(status: number, advised?: { name: string; by: string }) {
  const manifest = `../../${advised?.by}/node_modules/${advised?.name}/package.json`;
  const advisory = advised && {
    id: 1,
    module_name: advised.name,
    severity: 'high',
    title: 'It is on fire',
    url: 'https://example.com/advisory',
    vulnerable_versions: '*',
    patched_versions: '<0.0.0',
    findings: [{ version: JSON.parse(readFileSync(new URL(manifest, import.meta.url), 'utf8')).version, paths: [] }],
  };
  const metadata = { vulnerabilities: { info: 0, low: 0, moderate: 0, high: advisory ? 1 : 0, critical: 0 } };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = Buffer.concat(await request.toArray());
    const asked = String(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
    const isConcerned = advisory && asked.includes(`"${advisory.module_name}":`);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ actions: [], muted: [], advisories: isConcerned ? { 1: advisory } : {}, metadata }));
  };
  const registry = createServer((...exchange) => void answer(...exchange)).listen(0, '127.0.0.1');
  onTestFinished(() => void registry.close());
  await once(registry, 'listening');
  const { port } = registry.address() as AddressInfo;
  const env = { ...process.env, npm_config_registry: `http://127.0.0.1:${port}/` };
  return promisify(execFile)(process.execPath, [script], { env }).then(
    ({ stdout }) => ({ code: 0, printed: stdout }),
    ({ code, stdout, stderr }) => ({ code, printed: `${stdout}${stderr}` }),
  );
}

test('a registry that gives no advisories fails no release, and the log says that nothing was checked', async () => {
  expect(await audit(405)).toEqual({ code: 0, printed: expect.stringMatching(/^NOT CHECKED: .*405/) });
});

test('without an advisory the check passes', async () => {
  expect(await audit(200)).toEqual({ code: 0, printed: expect.stringMatching(/^No advisory on the \d{2,} bundled/) });
});

test.each([
  { name: 'express', by: 'server' },
  { name: 'commander', by: 'cli' },
  { name: '@electric-sql/pglite', by: 'server' },
])('an advisory on $name, which users get by $by, fails the release', async (advised) => {
  const printed = expect.stringContaining(`\n${advised.name}: high: It is on fire`);
  expect(await audit(200, advised)).toEqual({ code: 1, printed });
});

test('an advisory on a tool is printed, and fails nothing', async () => {
  const { code, printed } = await audit(200, { name: 'tsup', by: 'server' });
  expect(printed).toMatch(/^In a tool, not in a package: tsup: high: It is on fire .*\nNo advisory on/);
  expect(code).toBe(0);
});
