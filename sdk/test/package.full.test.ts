import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { type BuildOptions, build } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { credential } from './fake-fetch.js';
import { startConsumer } from './start-consumer.js';

// A compiler beside the servers on two cores takes its time.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const sdk = fileURLToPath(new URL('..', import.meta.url));
const tsc = require.resolve('typescript/bin/tsc');

let folder: string;
let tarball: string;
let installed: Awaited<ReturnType<typeof startConsumer>>;
const inConsumer = (file: string, ...parameters: string[]) => installed.run(file, parameters);

beforeAll(async () => {
  installed = await startConsumer();
  ({ folder, tarball } = installed);
  // The optional peer dependencies.
  for (const name of ['jetstream', 'nkeys', 'transport-node']) await installed.link(`@nats-io/${name}`, 'sdk');
});

afterAll(() => installed.stop());

const consumer = `
import {
  isApiError, isObjectStoreError, TenantOpenPlatform, type Command, type CommandCreate, type UploadContent,
} from '@tenant-open-platform/sdk';
import { sign } from '@tenant-open-platform/sdk/sign';
import { TestPlatform } from '@tenant-open-platform/sdk/testing';
import { verifyWebhook } from '@tenant-open-platform/sdk/webhooks';

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
  const headers = await sign({
    clientId: '${credential.clientId}', secret: '${credential.secret}', method: 'GET', target: '/api/v1/open/me',
  });
  // The headers fit what fetch takes.
  const taken: Record<string, string> = headers;
  names.push(taken['X-Api-Id'] ?? '', String(finals.length), String(misspelt !== undefined));
  console.log(names.join(' '));
}

async function* usesLists(): AsyncGenerator<string> {
  for await (const command of client.commands.list({ status: 'FAILED' })) yield command.command_id;
  const page = await client.credentials.list('acme');
  yield page.items[0]?.client_id ?? '';
  const object = await client.objects.download('resource', 'key');
  yield await object.text();
}

/** Tests of a consumer, and its receiver of deliveries. */
const others = [new TestPlatform().on('me.get', { client_id: 'a' }).options, verifyWebhook];

void usesLists;
void others;
main();
`;

/** The declarations need nothing from their environment: no DOM, no Node. The consumer declares what it uses itself. */
const bare = `declare const console: { log(text: string): void };\n${consumer}`;

test.each<[string, Record<string, string>, object]>([
  ['by nodenext, as ESM and as CommonJS', { 'index.mts': consumer, 'index.cts': consumer }, { types: ['node'] }],
  ['with the types of a browser', { 'browser.mts': consumer }, { types: [], lib: ['ES2022', 'DOM'] }],
  ['with no types around', { 'bare.mts': bare }, { types: [], lib: ['ES2022'] }],
])('a consumer compiles strictly and runs: %s', async (_, sources, options) => {
  const files = Object.keys(sources);
  for (const file of files) await writeFile(join(folder, file), sources[file] as string);
  await compile(files, { module: 'nodenext', moduleResolution: 'nodenext', ...options });
  for (const file of files) {
    const output = await inConsumer(process.execPath, file.replace('ts', 'js'));
    expect(output.trim()).toBe('ConnectionError ConnectionError false demo-client 2 true');
  }
});

test('the fetch of undici fits if the types of Node and of the DOM are both present', async () => {
  const source = `
import { Agent, fetch as undiciFetch } from 'undici';
import type { Fetch } from '@tenant-open-platform/sdk';
const dispatcher = new Agent({ connect: { cert: 'mTLS', key: '' } });
export const fetches: Fetch[] = [undiciFetch, fetch, (url, init) => undiciFetch(url, { ...init, dispatcher })];
`;
  await writeFile(join(folder, 'undici.ts'), source);
  const paths = { undici: [join(sdk, 'node_modules/undici')] };
  const types = { types: ['node'], lib: ['ES2022', 'DOM'], skipLibCheck: true };
  await compile('undici.ts', { module: 'esnext', moduleResolution: 'bundler', ...types, paths, noEmit: true });
});

/** The variables that the recipes of the README assume. */
const surroundings = `
import { TenantOpenPlatform, type ListedEvent } from '@tenant-open-platform/sdk';
declare const client: TenantOpenPlatform;
declare const signal: AbortSignal;
declare const incoming: { headers: Headers };
declare const cert: string, key: string, tenantId: string, clientId: string, rawBody: string, endpointSecret: string;
declare function loadCursor(): Promise<string | undefined>;
declare function saveCursor(cursor: string): Promise<void>;
declare function handle(event: ListedEvent): Promise<void>;
declare function restartPump(client: TenantOpenPlatform): Promise<void>;
type Req = { params: { id: string }; get(name: string): string | undefined };
type Res = { on(event: 'close', listener: () => void): void; json(body: unknown): void };
declare const app: { post(path: string, handler: (req: Req, res: Res) => Promise<void>): void };
export {};
`;

test('the recipes of the README compile', async () => {
  const readme = await readFile(join(sdk, 'README.md'), 'utf8');
  const recipes = [...readme.matchAll(/^```ts recipe\n(.*?)^```$/gms)].map(([, code = '']) => code);
  expect(recipes).toHaveLength(8);
  for (const [index, recipe] of recipes.entries()) {
    await writeFile(join(folder, `recipe-${index}.ts`), `${surroundings}${recipe}`);
  }
  const files = recipes.map((_, index) => `recipe-${index}.ts`);
  const paths = { undici: [join(sdk, 'node_modules/undici')] };
  const options = { types: ['node'], lib: ['ES2023'], skipLibCheck: true, paths, noEmit: true };
  await compile(files, { module: 'esnext', moduleResolution: 'bundler', ...options });
});

test('a consumer with moduleResolution node compiles strictly', async () => {
  await writeFile(join(folder, 'classic.ts'), consumer);
  const node = { types: ['node'], lib: ['ES2022'], noEmit: true };
  await compile('classic.ts', { module: 'commonjs', moduleResolution: 'node10', ...node });
});

test('CommonJS finds every entry point', async () => {
  const names = ['sdk', 'sdk/adapter', 'sdk/sign', 'sdk/testing', 'sdk/webhooks'].map(
    (name) => `@tenant-open-platform/${name}`,
  );
  await writeFile(
    join(folder, 'all.cjs'),
    `for (const name of ${JSON.stringify(names)}) console.log(Object.keys(require(name)).length > 0);`,
  );
  expect(await inConsumer(process.execPath, 'all.cjs')).toBe('true\n'.repeat(5));
});

/** As the other entry points: the declarations need nothing from their environment, not even the types of NATS. */
const adapter = `
declare const console: { log(text: string): void };
import { Rejected, serveVendor, testVendor, type CommandContext, type CommandOf } from '@tenant-open-platform/sdk/adapter';

type Commands = { reboot: object; set_power: { power: 'on' | 'off' } };
async function carryOut(command: CommandOf<Commands>, { signal, progress }: CommandContext) {
  if (signal.aborted) throw new Rejected('LATE', 'It is late.');
  await progress('IN_PROGRESS');
  return command.command_type === 'set_power' ? { power: command.payload.power } : undefined;
}
export const serve = () => serveVendor({ servers: 'nats://127.0.0.1:1', tenantId: 'a', vendor: 'b', onCommand: carryOut });

async function main(): Promise<void> {
  const vendor = testVendor({ onCommand: carryOut });
  const { updates } = await vendor.send({ command_type: 'set_power', payload: { power: 'on' } });
  console.log(updates.map(({ device_execution_status }) => device_execution_status).join(' '));
}
main();
`;

test('an adapter compiles strictly and runs, as ESM and as CommonJS', async () => {
  const files = ['adapter.mts', 'adapter.cts'];
  for (const file of files) await writeFile(join(folder, file), adapter);
  await compile(files, { module: 'nodenext', moduleResolution: 'nodenext', types: [], lib: ['ES2022'] });
  for (const file of files) {
    expect(await inConsumer(process.execPath, file.replace('ts', 'js'))).toBe('IN_PROGRESS SUCCEEDED\n');
  }
});

test('an adapter has the same error classes, whether it is imported or required', async () => {
  const source = `
import { createRequire } from 'node:module';
import { Rejected } from '@tenant-open-platform/sdk/adapter';
console.log(createRequire(import.meta.url)('@tenant-open-platform/sdk/adapter').Rejected === Rejected);`;
  await writeFile(join(folder, 'both.mjs'), source);
  expect(await inConsumer(process.execPath, 'both.mjs')).toBe('true\n');
});

test('esbuild bundles it for a browser without a polyfill', async () => {
  const stdin = { contents: esm, resolveDir: folder };
  const { warnings, errors } = await build({ stdin, bundle: true, platform: 'browser', format: 'esm', write: false });
  expect([...warnings, ...errors]).toEqual([]);
});

test('an installation has at most 545 kB', async () => {
  const { stdout } = await run('tar', ['-tvzf', tarball]);
  const sizes = stdout
    .trim()
    .split('\n')
    .map((line) => Number(line.trim().split(/\s+/)[2]));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(545_000);
});

test('a consumer with a bundler compiles strictly', async () => {
  await writeFile(join(folder, 'bundled.ts'), consumer);
  const node = { types: ['node'], lib: ['ES2022'], noEmit: true };
  await compile('bundled.ts', { module: 'esnext', moduleResolution: 'bundler', ...node });
});

async function compile(files: string | string[], options: object): Promise<void> {
  const config = `tsconfig.${[files].flat()[0]}.json`;
  const typeRoots = [join(sdk, 'node_modules/@types')];
  const compilerOptions = {
    target: 'es2022',
    strict: true,
    skipLibCheck: false,
    // The libraries of TypeScript itself are checked by its makers.
    skipDefaultLibCheck: true,
    exactOptionalPropertyTypes: true,
    typeRoots,
  };
  await writeFile(
    join(folder, config),
    JSON.stringify({ compilerOptions: { ...compilerOptions, ...options }, files: [files].flat() }),
  );
  await inConsumer(process.execPath, tsc, '-p', config);
}

/** Reports of a failed transfer whether its error has the client's own class, and what the guard returns. */
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
])('a transfer fails with the class that the client exports: %s', async (file, source) => {
  await writeFile(join(folder, file), source);
  expect(await inConsumer(process.execPath, file)).toBe('true true NoSuchKey\n');
});

test.each<[string, string, BuildOptions]>([
  ['ESM in one file', esm, { format: 'esm' }],
  ['CommonJS in one file', cjs, { format: 'cjs', platform: 'node' }],
])('a transfer works when it is bundled and minified, in a separate process: %s', async (_, source, options) => {
  const outdir = await mkdtemp(join(tmpdir(), 'top-bundle-'));
  onTestFinished(() => rm(outdir, { recursive: true }));
  const stdin = { contents: source, resolveDir: folder };
  const outExtension = { '.js': options.format === 'cjs' ? '.cjs' : '.mjs' };
  const { warnings } = await build({ ...options, stdin, bundle: true, minify: true, outdir, outExtension });
  expect(warnings).toEqual([]);
  const files = await readdir(outdir);
  const main = files.find((file) => file.startsWith('stdin')) ?? '';
  expect(await inConsumer(process.execPath, join(outdir, main))).toBe('true true NoSuchKey\n');
});

test('it runs with only Web APIs', async () => {
  const installed = join(folder, 'node_modules/@tenant-open-platform/sdk/dist/index.cjs');
  const globals = { crypto, TextEncoder, URL, AbortController, performance, setTimeout, clearTimeout, Response };
  const context = createContext({ ...globals, module: { exports: {} }, answered: undefined });
  runInContext(`(function (exports) { ${await readFile(installed, 'utf8')}\n})(module.exports)`, context);
  const me = await runInContext(
    `new module.exports.TenantOpenPlatform({
      baseUrl: 'https://platform.test', clientId: '${credential.clientId}', secret: '${credential.secret}',
      fetch: async () => Response.json({ client_id: 'demo-client', request_id: 'r' }),
    }).me.get()`,
    context,
  );
  expect(me).toEqual({ client_id: 'demo-client', request_id: 'r' });
});

test('contains the built files and the pages for npm, and nothing else', async () => {
  const { stdout } = await run('tar', ['-tzf', tarball]);
  const files = stdout
    .trim()
    .split('\n')
    .map((file) => file.replace('package/', ''));
  const built = ['adapter', 'index', 'sign', 'testing', 'webhooks'].flatMap((entry) =>
    ['.cjs', '.d.cts', '.d.ts', '.js'].map((extension) => `dist/${entry}${extension}`),
  );
  const isShared = (file: string) => /^dist\/.+-\w[\w-]*\.(js|d\.cts)$/.test(file);
  const own = files.filter((file) => !isShared(file)).sort();
  expect(own).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'api.md', ...built, 'package.json']);
  const manifest = JSON.parse((await run('tar', ['-xzOf', tarball, 'package/package.json'])).stdout);
  expect(JSON.stringify(manifest.exports)).not.toContain('source');
});
