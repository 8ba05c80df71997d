import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { type BuildOptions, build } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { credential } from './fake-fetch.js';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const sdk = fileURLToPath(new URL('..', import.meta.url));
const root = join(sdk, '..');
const pnpm = join(root, '.tools/node_modules/.bin/pnpm');
const tsc = require.resolve('typescript/bin/tsc');
const attw = join(require.resolve('@arethetypeswrong/cli/package.json'), '../dist/index.js');

let folder: string;
let tarball: string;

/** Runs a program in the consumer; what it printed is part of the failure. */
async function inConsumer(file: string, ...parameters: string[]): Promise<string> {
  try {
    return (await run(file, parameters, { cwd: folder })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${file} ${parameters.join(' ')}\n${stdout}\n${stderr}`, { cause: error });
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'top-consumer-'));
  await run(pnpm, ['pack', '--pack-destination', folder], { cwd: sdk });
  tarball = join(folder, (await readdir(folder)).find((file) => file.endsWith('.tgz')) ?? '');
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true }));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
}, 60_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const consumer = `
import {
  isApiError, isObjectStoreError, TenantOpenPlatform, type Command, type CommandCreate, type UploadContent,
} from '@tenant-open-platform/sdk';
import { sign } from '@tenant-open-platform/sdk/sign';

const client = new TenantOpenPlatform({
  baseUrl: 'http://127.0.0.1:1', clientId: '${credential.clientId}', secret: '${credential.secret}', maxRetries: 0,
});
const body: CommandCreate = { vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {} };
// An unknown value is a string, and a known one is suggested.
const finals: Command['status'][] = ['SUCCEEDED', 'SOMETHING_NEW'];
// @ts-expect-error A misspelt filter is noticed.
const misspelt: Parameters<typeof client.commands.list>[0] = { status: 'ACEPTED' };

async function main(): Promise<void> {
  const names: string[] = [];
  try {
    await client.commands.create(body, { timeoutMs: 2_000 });
  } catch (error) {
    if (isApiError(error)) names.push(error.code);
    else names.push((error as Error).name);
  }
  try {
    const content: UploadContent = 'firmware';
    await client.objects.upload('resource', 'key', content, { contentType: 'text/plain', maxRetries: 0 });
  } catch (error) {
    names.push((error as Error).name, String(isObjectStoreError(error)));
  }
  const headers: { 'X-Api-Id': string } = await sign({
    clientId: '${credential.clientId}', secret: '${credential.secret}', method: 'GET', target: '/api/v1/open/me',
  });
  names.push(headers['X-Api-Id'], String(finals.length), String(misspelt !== undefined));
  console.log(names.join(' '));
}

async function* usesLists(): AsyncGenerator<string> {
  for await (const command of client.commands.list({ status: 'FAILED' })) yield command.command_id;
  const page = await client.credentials.list('acme');
  yield page.items[0]?.client_id ?? '';
  const object = await client.objects.download('resource', 'key');
  yield await object.text();
}

void usesLists;
main();
`;

/** The declarations need nothing of their surroundings: no DOM, no Node. What the consumer itself uses is declared. */
const bare = `declare const console: { log(text: string): void };\n${consumer}`;

test.each([
  ['ESM by nodenext', 'nodenext', 'index.mts', consumer, { types: ['node'] }],
  ['CommonJS by nodenext', 'nodenext', 'index.cts', consumer, { types: ['node'] }],
  ['ESM with the types of a browser', 'nodenext', 'browser.mts', consumer, { types: [], lib: ['ES2022', 'DOM'] }],
  ['ESM with no types around', 'nodenext', 'bare.mts', bare, { types: [], lib: ['ES2022'] }],
])('a consumer compiles strictly and runs: %s', async (_, moduleResolution, file, source, options) => {
  await writeFile(join(folder, file), source);
  await compile(file, { module: 'nodenext', moduleResolution, ...options });
  const output = await inConsumer(process.execPath, file.replace('ts', 'js'));
  expect(output.trim()).toBe('ConnectionError ConnectionError false demo-client 2 true');
});

test('a consumer with a bundler compiles strictly', async () => {
  await writeFile(join(folder, 'bundled.ts'), consumer);
  await compile('bundled.ts', { module: 'esnext', moduleResolution: 'bundler', types: ['node'], noEmit: true });
});

async function compile(file: string, options: object): Promise<void> {
  const config = `tsconfig.${file}.json`;
  const typeRoots = [join(sdk, 'node_modules/@types')];
  const compilerOptions = {
    target: 'es2022',
    strict: true,
    skipLibCheck: false,
    exactOptionalPropertyTypes: true,
    typeRoots,
  };
  await writeFile(
    join(folder, config),
    JSON.stringify({ compilerOptions: { ...compilerOptions, ...options }, files: [file] }),
  );
  await inConsumer(process.execPath, tsc, '-p', config);
}

/** Says of a failed transfer whether it failed with the client's own class, and what the guard makes of it. */
const transfer = `
const client = new sdk.TenantOpenPlatform({
  baseUrl: 'https://platform.test', clientId: '${credential.clientId}', secret: '${credential.secret}',
  fetch: async (url) => url === 'https://store.test/'
    ? new Response('<Code>NoSuchKey</Code>', { status: 404 })
    : Response.json({ method: 'GET', url: 'https://store.test/', headers: {}, presign_id: 'p', request_id: 'r' }),
});
client.objects.download('resource', 'key').catch((error) => {
  console.log(error instanceof sdk.ObjectStoreError, sdk.isObjectStoreError(error), error.code);
});`;
const esm = `import * as sdk from '@tenant-open-platform/sdk';${transfer}`;
const cjs = `const sdk = require('@tenant-open-platform/sdk');${transfer}`;

test.each([
  ['transfer.mjs', esm],
  ['transfer.cjs', cjs],
])('a transfer loads what it needs, and no second copy of the client: %s', async (file, source) => {
  await writeFile(join(folder, file), source);
  expect(await inConsumer(process.execPath, file)).toBe('true true NoSuchKey\n');
});

test.each<[string, string, BuildOptions]>([
  ['ESM in chunks', esm, { format: 'esm', splitting: true }],
  ['ESM in one file', esm, { format: 'esm' }],
  ['CommonJS in one file', cjs, { format: 'cjs', platform: 'node' }],
])('a transfer works when it is bundled and minified, in a process of nothing else: %s', async (_, source, options) => {
  const outdir = await mkdtemp(join(tmpdir(), 'top-bundle-'));
  onTestFinished(() => rm(outdir, { recursive: true }));
  const stdin = { contents: source, resolveDir: folder };
  const outExtension = { '.js': options.format === 'cjs' ? '.cjs' : '.mjs' };
  const { warnings } = await build({ ...options, stdin, bundle: true, minify: true, outdir, outExtension });
  expect(warnings).toEqual([]);
  const files = await readdir(outdir);
  expect(files.length > 1).toBe(options.splitting === true);
  const main = files.find((file) => file.startsWith('stdin')) ?? '';
  expect(await inConsumer(process.execPath, join(outdir, main))).toBe('true true NoSuchKey\n');
});

test('it runs where there is nothing but Web APIs', async () => {
  const installed = join(folder, 'node_modules/@tenant-open-platform/sdk/dist/index.cjs');
  const globals = { crypto, TextEncoder, URL, AbortController, performance, setTimeout, clearTimeout, Response };
  const context = createContext({ ...globals, module: { exports: {} }, answered: undefined });
  runInContext(`(function (exports) { ${await readFile(installed, 'utf8')}\n})(module.exports)`, context);
  const me = await runInContext(
    `new module.exports.TenantOpenPlatform({
      baseUrl: 'https://platform.test', clientId: '${credential.clientId}', secret: '${credential.secret}',
      fetch: async () => Response.json({ client_id: 'demo-client' }),
    }).me.get()`,
    context,
  );
  expect(me).toEqual({ client_id: 'demo-client' });
});

test('contains the built files and what npm shows, and nothing else', async () => {
  const { stdout } = await run('tar', ['-tzf', tarball]);
  const files = stdout
    .trim()
    .split('\n')
    .map((file) => file.replace('package/', ''));
  const built = files
    .filter((file) => file.startsWith('dist/'))
    .map((file) => file.replace(/^dist\/(index|objects|sign)/, ''));
  expect(files.filter((file) => !file.startsWith('dist/')).sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  expect([...new Set(built)].sort()).toEqual(['.cjs', '.cjs.map', '.d.cts', '.d.ts', '.js', '.js.map']);
  const manifest = JSON.parse((await run('tar', ['-xzOf', tarball, 'package/package.json'])).stdout);
  expect(JSON.stringify(manifest.exports)).not.toContain('source');
});

test('publint and are-the-types-wrong find nothing', async () => {
  const { publint } = await import('publint');
  const pkgDir = join(folder, 'node_modules/@tenant-open-platform/sdk');
  expect((await publint({ pkgDir, strict: true })).messages).toEqual([]);
  // node10 has no exports; everybody on Node 20 resolves as node16 or later does.
  await inConsumer(process.execPath, attw, tarball, '--profile', 'node16');
});
