import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { createTenant } from '@tenant-open-platform/testing';
import { type ObjectStore, startObjectStore } from '@tenant-open-platform/testing/start-object-store';
import { build } from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TenantOpenPlatform } from '../../src/index.js';
import { install, programOf } from './install.js';
import { commandOf, processesBelow, watchMemory } from './peak-memory.js';
import { startSite } from './start-site.js';

const SIZE = 100_000_000;
const MOST_GROWTH = 64 * 1024 ** 2;

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
    max_object_bytes: SIZE,
  });
  const { base_url: baseUrl, client_id: clientId, secret } = operator;
  settings = { baseUrl, clientId, secret, resourceId: resource_id };
  const alias = { '@tenant-open-platform/sdk': join(import.meta.dirname, '../../dist/index.js') };
  const entryPoints = ['program', 'worker', 'page'].map((name) => join(import.meta.dirname, `${name}.mjs`));
  const outExtension = { '.js': '.mjs' };
  await build({ entryPoints, bundle: true, format: 'esm', outdir: folder, outExtension, alias });
});

afterAll(async () => {
  await store.stop();
  rmSync(folder, { recursive: true });
});

const everything = ['command and wait', 'list', 'follow', 'upload and download', 'clock', 'abort'];
const allRight = Object.fromEntries(everything.map((name) => [name, 'ok']));

type Program = readonly [name: string, program: () => string, parameters: readonly string[], streams: boolean];

const programs: Program[] = [
  ['Node of this run', () => process.execPath, ['--expose-gc'], true],
  ['Node 20', () => programOf('node@20', 'node'), ['--expose-gc'], true],
  ['Node 22', () => programOf('node@22', 'node'), ['--expose-gc'], true],
  ['Node 24', () => programOf('node@24', 'node'), ['--expose-gc'], true],
  ['Node 26', () => programOf('node@26', 'node'), ['--expose-gc'], true],
  ['Bun', () => programOf('bun@1', 'bun'), ['run'], true],
  // Its fetch sends a stream in chunks, which stores refuse.
  ['Deno', () => programOf('deno@2', 'deno'), ['run', '--allow-all', '--v8-flags=--expose-gc'], false],
];

const environmentOf = (given: object) => ({
  PATH: process.env.PATH,
  HOME: folder,
  SETTINGS: JSON.stringify({ ...settings, ...given }),
  NO_COLOR: '1',
});

test.each(programs)('%s', async (_, program, parameters) => {
  const { stdout } = await promisify(execFile)(program(), [...parameters, join(folder, 'program.mjs')], {
    cwd: folder,
    env: environmentOf({}),
  });
  expect(JSON.parse(stdout)).toEqual(allRight);
});

const megabytes = (bytes: number) => Math.round(bytes / 1024 ** 2);

test.each(programs)(
  '%s: 100 MB up and down grow its memory by less than 64 MB',
  async (name, program, parameters, streams) => {
    const child = spawn(program(), [...parameters, join(folder, 'program.mjs')], {
      cwd: folder,
      env: environmentOf({ size: SIZE, streams }),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { pid } = JSON.parse((await lines.next()).value ?? '{}');
    const growth = watchMemory([pid]);
    child.stdin.write('begin\n');
    expect(JSON.parse((await lines.next()).value ?? 'null')).toBe('ok');
    console.log(`${name}: ${megabytes(growth())} MB`);
    expect(growth()).toBeLessThan(MOST_GROWTH);
    child.stdin.end('end\n');
    await exited;
  },
);

// With the older date, importScripts is there as in a browser's worker.
describe.each(['2024-01-01', '2025-09-01'])('workerd with the compatibility date %s', (compatibilityDate) => {
  let worker: { dispatchFetch(url: string, init: object): Promise<Response>; dispose(): Promise<void> };
  const ask = async (given: object): Promise<unknown> => {
    const body = JSON.stringify({ ...settings, ...given });
    return (await worker.dispatchFetch('http://worker.test/', { method: 'POST', body })).json();
  };

  beforeAll(() => {
    const { Miniflare } = createRequire(join(install('miniflare@4'), 'x.js'))('miniflare');
    const script = readFileSync(join(folder, 'worker.mjs'), 'utf8');
    worker = new Miniflare({ modules: true, script, compatibilityDate });
  });
  afterAll(() => worker.dispose());

  test('does everything', async () => {
    expect(await ask({})).toEqual(allRight);
  });

  test('100 MB up and down grow its memory by less than 64 MB', async () => {
    expect(await ask({ size: 4_000_000, streams: true })).toBe('ok');
    const growth = watchMemory(processesBelow(process.pid).filter((pid) => commandOf(pid).includes('workerd')));
    expect(await ask({ size: SIZE, streams: true })).toBe('ok');
    console.log(`workerd: ${megabytes(growth())} MB`);
    expect(growth()).toBeLessThan(MOST_GROWTH);
  });
});

describe('Chromium', () => {
  let browser: Browser;
  let site: Awaited<ReturnType<typeof startSite>>;
  let page: Page;

  beforeAll(async () => {
    site = await startSite(folder, String(settings.baseUrl));
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--js-flags=--expose-gc'],
    });
    page = await browser.newPage();
    await page.goto(site.url);
  });
  afterAll(async () => {
    await browser.close();
    site.stop();
  });

  const given = (more: object = {}) => ({ ...settings, baseUrl: site.url, dangerouslyAllowBrowser: true, ...more });

  test('does everything', async () => {
    expect(await page.evaluate(`suite(${JSON.stringify(given())})`)).toEqual(allRight);
  });

  test('refuses to work without dangerouslyAllowBrowser', async () => {
    const refused = page.evaluate(`suite(${JSON.stringify(given({ dangerouslyAllowBrowser: false }))})`);
    await expect(refused).rejects.toThrow('This looks like a browser');
  });

  test('100 MB up and down grow the memory of the page by less than 64 MB', async () => {
    await page.evaluate(`prepare(${JSON.stringify(given({ size: 4_000_000, streams: false }))}).then(() => large())`);
    await page.evaluate(`prepare(${JSON.stringify(given({ size: SIZE, streams: false }))})`);
    const growth = watchMemory(processesBelow(process.pid).filter((pid) => commandOf(pid).includes('--type=renderer')));
    expect(await page.evaluate('large()')).toBe('ok');
    console.log(`Chromium: ${megabytes(growth())} MB`);
    expect(growth()).toBeLessThan(MOST_GROWTH);
  });
});
