import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTenant } from '@tenant-open-platform/testing';
import { type ObjectStore, startObjectStore } from '@tenant-open-platform/testing/start-object-store';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TenantOpenPlatform } from '../../src/index.js';

/** Installed by npm on first use, in a few seconds each. */
const runtimes = join(import.meta.dirname, '../../node_modules/.runtimes');

let folder: string;
let store: ObjectStore;
let settings: Record<string, unknown>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'top-runtimes-'));
  const [started, { admin, operator }] = await Promise.all([startObjectStore(), createTenant()]);
  store = started;
  const { endpoint, bucket, access_key_id, secret_access_key } = store;
  const direct = new TenantOpenPlatform({ baseUrl: admin.base_url, clientId: admin.client_id, secret: admin.secret });
  const access = { access_key_id, secret_access_key, force_path_style: true };
  const credential = { name: 'Store', endpoint, region: 'us-east-1', ...access };
  const { credential_id } = await direct.objectCredentials.create(credential);
  const { resource_id } = await direct.objectResources.create({
    name: 'Files',
    credential_id,
    bucket,
    allowed_operations: ['UPLOAD', 'DOWNLOAD'],
    max_object_bytes: 1_000_000,
  });
  const { base_url: baseUrl, client_id: clientId, secret } = operator;
  settings = { baseUrl, clientId, secret, resourceId: resource_id };
  const alias = { '@tenant-open-platform/sdk': join(import.meta.dirname, '../../dist/index.js') };
  const entryPoints = ['program', 'worker'].map((name) => join(import.meta.dirname, `${name}.mjs`));
  const outExtension = { '.js': '.mjs' };
  await build({ entryPoints, bundle: true, format: 'esm', outdir: folder, outExtension, alias });
});

afterAll(async () => {
  await store.stop();
  rmSync(folder, { recursive: true });
});

const everything = ['command and wait', 'list', 'follow', 'upload and download', 'clock', 'abort'];
const allRight = Object.fromEntries(everything.map((name) => [name, 'ok']));

/** The folder of an npm package that contains a runtime. */
function install(spec: string): string {
  const prefix = join(runtimes, spec);
  if (!existsSync(join(prefix, 'node_modules'))) {
    mkdirSync(prefix, { recursive: true });
    writeFileSync(join(prefix, 'package.json'), '{}');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', spec], { cwd: prefix });
  }
  return join(prefix, 'node_modules');
}

const programOf = (spec: string, name: string) => join(install(spec), '.bin', name);

test.each([
  ['Node of this run', () => process.execPath, []],
  ['Node 20', () => programOf('node@20', 'node'), []],
  ['Node 22', () => programOf('node@22', 'node'), []],
  ['Node 24', () => programOf('node@24', 'node'), []],
  ['Bun', () => programOf('bun@1', 'bun'), ['run']],
  ['Deno', () => programOf('deno@2', 'deno'), ['run', '--allow-all']],
] as const)('%s', async (_, program, parameters) => {
  const { stdout } = await promisify(execFile)(program(), [...parameters, join(folder, 'program.mjs')], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, SETTINGS: JSON.stringify(settings), NO_COLOR: '1' },
  });
  expect(JSON.parse(stdout)).toEqual(allRight);
});

// With the older date, importScripts exists as in a browser's worker.
test.each(['2024-01-01', '2025-09-01'])('workerd with the compatibility date %s', async (compatibilityDate) => {
  const { Miniflare } = createRequire(join(install('miniflare@4'), 'x.js'))('miniflare');
  const script = readFileSync(join(folder, 'worker.mjs'), 'utf8');
  const worker = new Miniflare({ modules: true, script, compatibilityDate });
  try {
    const answer = await worker.dispatchFetch('http://worker.test/', {
      method: 'POST',
      body: JSON.stringify(settings),
    });
    expect(await answer.json()).toEqual(allRight);
  } finally {
    await worker.dispose();
  }
});
