import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTenant, platform, temporaryFolder } from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { builtTopctl } from '../test/built-topctl.js';
import { environmentOf } from '../test/topctl.js';
import { outputFormats } from './output/render.js';

const { admin, operator } = await createTenant();
const env = environmentOf(operator);
const dist = new URL('../dist/', import.meta.url);

const read: Record<(typeof outputFormats)[number], (stdout: string) => object> = {
  table: (text) =>
    Object.fromEntries(
      text
        .trim()
        .split('\n')
        .map((line) => line.split(/ +/)),
    ),
  json: (text) => JSON.parse(text),
  yaml: (text) => parse(text),
  ndjson: (text) => JSON.parse(text),
  id: (text) => ({ command_id: text.trim() }),
};

describe('what npm gets', () => {
  test.each(outputFormats)('prints a new command, and a list, with -o %s', async (format) => {
    const device = `offline-${format}`;
    const create = ['commands', 'create', '--vendor', 'vendor_a', '--device-id', device, '--command-type', 'reboot'];
    const made = await builtTopctl([...create, '-o', format], { env });
    expect(made).toMatchObject({ exitCode: 0, stderr: '' });
    const { command_id } = read[format](made.stdout) as { command_id: string };
    const list = await builtTopctl(['commands', 'list', '--device-id', device, '-o', format], { env });
    expect(list).toMatchObject({ exitCode: 0, stderr: '' });
    expect(list.stdout.match(/[0-9a-f-]{36}/g)).toContain(command_id);
  });

  test('asks for a text, a secret, a choice and a confirmation', async () => {
    const { demo } = platform();
    const XDG_CONFIG_HOME = temporaryFolder();
    const world = { env: { XDG_CONFIG_HOME } };
    const typed = [`${demo.base_url}\r`, `${demo.client_id}\r`, `${demo.secret}\r`];
    const saved = await builtTopctl(['login', '--profile', 'demo'], { ...world, typed });
    expect(saved).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Saved as profile demo') });
    const chosen = await builtTopctl(['--profile', 'demo', '--dry-run', 'objects', 'presign', ...object], {
      ...world,
      typed: ['\r'],
    });
    expect(chosen.exitCode).toBe(0);
    expect(JSON.parse(chosen.stdout).body.operation).toMatch(/^(UP|DOWN)LOAD$/);
    const removed = await builtTopctl(['profile', 'remove', 'demo'], { ...world, typed: ['y'] });
    expect(removed.exitCode).toBe(0);
    const profiles = await readFile(join(XDG_CONFIG_HOME, 'topctl', 'profiles.json'), 'utf8');
    expect(JSON.parse(profiles)).toEqual({ profiles: {} });
  });

  test('completes words, explains a signature, sends a signed request, and reports a failure', async () => {
    const completed = await builtTopctl(['complete', '--', 'credentials', 'ro']);
    expect(completed.stdout).toMatch(/^rotate\t/);
    expect(await builtTopctl(['doctor', '-o', 'id'], { env })).toMatchObject({
      stdout: expect.stringContaining('signature'),
    });
    const signed = await builtTopctl(['sign', 'GET', '/api/v1/open/me', '--explain'], { env });
    expect(signed).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('HMAC-SHA256-V1') });
    const sent = await builtTopctl(['api', 'GET', '/api/v1/open/me'], { env });
    expect(JSON.parse(sent.stdout)).toMatchObject({ client_id: operator.client_id });
    const refused = await builtTopctl(['roles', 'list'], { env });
    expect(refused).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('(FORBIDDEN)') });
  });

  test('has no part that is never tested: these runs load all', async () => {
    const coverage = temporaryFolder();
    const world = { env: { ...env, NODE_V8_COVERAGE: coverage, XDG_CONFIG_HOME: temporaryFolder() } };
    const proxied = { env: { ...world.env, HTTP_PROXY: 'http://127.0.0.1:2', NO_PROXY: '*' } };
    expect(await builtTopctl(['whoami', '-o', 'yaml'], proxied)).toMatchObject({ exitCode: 0 });
    const exporting = { env: { ...world.env, ...environmentOf(admin) }, cwd: temporaryFolder() };
    expect(await builtTopctl(['export', '--to', 'files'], exporting)).toMatchObject({ exitCode: 0 });
    expect(await builtTopctl(['apply', '-f', 'files'], exporting)).toMatchObject({ exitCode: 0 });
    expect(await builtTopctl(['complete', '--', 'profile', 'use', ''], world)).toMatchObject({ exitCode: 0 });
    expect(await builtTopctl(['login'], { ...world, typed: ['\u0003'] })).toMatchObject({ exitCode: 130 });
    // Node writes there which files a run has loaded.
    const loaded = new Set<string>();
    for (const file of await readdir(coverage)) {
      const { result } = JSON.parse(await readFile(join(coverage, file), 'utf8')) as { result: { url: string }[] };
      for (const { url } of result) loaded.add(url);
    }
    const parts = (await readdir(dist)).filter((name) => name.endsWith('.js') && name !== 'app.js');
    expect(parts.length).toBeGreaterThan(4);
    expect(parts.filter((name) => !loaded.has(new URL(name, dist).href))).toEqual([]);
  });
});

const object = ['--resource-id', '019bd3a4-5c4e-7a55-9e84-ad4e5f607182', '--object-key', 'k'];
