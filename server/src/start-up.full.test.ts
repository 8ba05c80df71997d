import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { type Profile, signedRequest, startNode } from '@tenant-open-platform/testing';
import { type RunningServer, ServerExited, startServer } from '@tenant-open-platform/testing/start-server';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { completed, newCommand } from '../test/support/commands.js';
import { STORED_FUNCTIONS, writtenFunctions } from '../test/support/function-texts.js';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const SECRET = /osk_[0-9A-Za-z]{49}/;

let folder: string;
let running: RunningServer[];

/** A data directory after its first start, which takes most of the time: for tests of other properties. */
const { folder: initialized, ...first } = await startNode();
await first.stop();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'top-start-'));
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
});

const dataDirectory = (name = 'data') => join(folder, name);

const initialize = (name?: string) => cpSync(initialized, dataDirectory(name), { recursive: true });

async function start(environment: Record<string, string> = {}): Promise<RunningServer> {
  const server = await startServer({ DATA_DIR: dataDirectory(), ...environment });
  running.push(server);
  return server;
}

/** The single line that a failed start prints. */
async function refusal(environment: Record<string, string>): Promise<string> {
  const outcome = await start(environment).catch((error: unknown) => error);
  if (!(outcome instanceof ServerExited)) throw new Error('The server started.', { cause: outcome });
  expect(outcome.exitCode).toBe(1);
  const lines = outcome.stderr.trimEnd().split('\n');
  expect(lines).toHaveLength(1);
  return lines.join();
}

const profile = (file: 'platform-admin.json' | 'demo.json'): Profile =>
  JSON.parse(readFileSync(join(dataDirectory(), file), 'utf8'));

const listCommands = (server: RunningServer) =>
  signedRequest(profile('demo.json'), 'GET', '/api/v1/open/downlink/commands', { node: server.baseUrl });

const createCommand = (server: RunningServer) =>
  signedRequest(profile('demo.json'), 'POST', '/api/v1/open/downlink/commands', {
    node: server.baseUrl,
    body: { vendor: 'vendor_a', device_id: 'd-1', command_type: 'reboot', payload: {}, idempotency_key: 'k-1' },
  });

test('names every bad environment variable at once, in one line without their values', async () => {
  const line = await refusal({ PORT: 'eighty', MODE: 'test', LOG_LEVEL: 'loud', BODY_LIMIT_BYTES: '-1' });
  expect(line).toMatch(/PORT.*MODE.*LOG_LEVEL.*BODY_LIMIT_BYTES/);
  expect(line).not.toContain('eighty');
  expect(existsSync(dataDirectory())).toBe(false);
});

test('refuses a malformed DATABASE_URL without showing it', async () => {
  const line = await refusal({ DATABASE_URL: 'postgres://top:pa/ss@db/top', KEYRING_FILE: 'keyring.json' });
  expect(line).toContain('DATABASE_URL');
  expect(line).not.toContain('pa/ss');
});

test('refuses several processes on the embedded database', async () => {
  expect(await refusal({ WORKERS: '2' })).toMatch(/WORKERS must be 1 without DATABASE_URL/);
});

test('refuses the password of a trial in production', async () => {
  const DATABASE_URL = 'postgres://top:only-for-a-trial@127.0.0.1/top';
  expect(await refusal({ MODE: 'production', DATABASE_URL })).toMatch(
    /DATABASE_URL has the password of a trial, .* set DATABASE_PASSWORD in \.env/,
  );
});

test('refuses simulated devices in production', async () => {
  expect(await refusal({ MODE: 'production', SIMULATED_FLEET: 'true' })).toMatch(
    /SIMULATED_FLEET must not be true where MODE is production/,
  );
});

test('prints a first command, with its address if the profile has another one', async () => {
  initialize();
  const { baseUrl, stdout } = await start();
  await expect.poll(stdout).toContain(`${dataDirectory()}/demo.json --base-url ${baseUrl} commands create `);
  const first = await start({ DATA_DIR: dataDirectory('first') });
  await expect.poll(first.stdout).toContain(`${dataDirectory('first')}/demo.json commands create `);
});

test('has no simulated devices if they are switched off', async () => {
  initialize();
  const { baseUrl, stdout } = await start({ SIMULATED_FLEET: 'false' });
  await expect.poll(stdout).toContain(`To connect your own: ${baseUrl}/docs/first-device\n`);
  expect((await fetch(`${baseUrl}/docs/first-device`)).status).toBe(200);
  expect(stdout()).not.toContain('commands create');
  const demo = { ...profile('demo.json'), base_url: baseUrl };
  const commandId = await newCommand(demo, { timeout_seconds: 20 });
  expect((await completed(demo, commandId)).status).toBe('TIMED_OUT');
});

test('refuses a data directory or a port in use, each in one line, and the process that uses it goes on', async () => {
  initialize();
  initialize('other');
  const owner = await start();
  expect(await refusal({})).toContain(dataDirectory());
  const { port } = new URL(owner.baseUrl);
  expect(await refusal({ DATA_DIR: dataDirectory('other'), PORT: port })).toContain(port);

  expect((await createCommand(owner)).status).toBe(202);

  const other = await start({ DATA_DIR: dataDirectory('other') });
  await expect.poll(async () => (await fetch(`${other.baseUrl}/readyz`)).status).toBe(200);
});

test('restricts the permissions of an open data directory, and warns about a HOST that other machines can reach', async () => {
  initialize();
  for (const directory of [dataDirectory(), join(dataDirectory(), 'postgres')]) chmodSync(directory, 0o755);
  const server = await start({ HOST: '0.0.0.0' });
  for (const path of ['', 'database.sock', 'lock.sock']) {
    expect(statSync(join(dataDirectory(), path)).mode & 0o077).toBe(0);
  }
  await expect.poll(() => server.stderr().match(/HOST 0\.0\.0\.0 lets other machines in/g)).toHaveLength(1);
});

test('refuses a data directory that all users of the machine share', async () => {
  mkdirSync(dataDirectory());
  chmodSync(dataDirectory(), 0o1777);
  expect(await refusal({})).toMatch(/^DATA_DIR .* is shared by all users/);
});

/** The embedded database with which each platform starts. */
async function preparedDatabase(): Promise<PGlite> {
  const prepared = fileURLToPath(new URL('../dist/embedded-database', import.meta.url));
  cpSync(prepared, dataDirectory(), { recursive: true });
  const database = await PGlite.create(dataDirectory());
  onTestFinished(() => database.close());
  return database;
}

test('the embedded database has the functions of drizzle/functions, each with exactly the text of its file', async () => {
  const database = await preparedDatabase();
  expect((await database.query(STORED_FUNCTIONS)).rows).toEqual(writtenFunctions());
});

test('starts with a database that holds only the rows of the migrations: no credential, key or vendor', async () => {
  const database = await preparedDatabase();
  const { rows } = await database.query<{ name: string }>(
    "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by name",
  );
  const isEmpty = async (name: string) => (await database.query(`select from ${name} limit 1`)).rows.length === 0;
  const filled = [];
  for (const { name } of rows) if (!(await isEmpty(name))) filled.push(name);
  expect(filled).toEqual(['command_figures_start', 'database_generations', 'slots', 'tenants']);
});

test('starts after an earlier first start was killed', async () => {
  mkdirSync(join(dataDirectory(), 'postgres.new', 'base'), { recursive: true });
  mkdirSync(join(dataDirectory(), 'postgres'));
  const server = await start();
  expect((await createCommand(server)).status).toBe(202);
  expect(existsSync(join(dataDirectory(), 'postgres.new'))).toBe(false);
});

test('migrates a data directory of an earlier build', async () => {
  mkdirSync(dataDirectory());
  const earlier = await PGlite.create(join(dataDirectory(), 'postgres'));
  await earlier.close();
  const server = await start();
  expect((await createCommand(server)).status).toBe(202);
});

test('starts although the embedded database takes six seconds to answer', async () => {
  const answerLate = `
    import { Server } from 'node:net';
    import { isMainThread } from 'node:worker_threads';
    const { listen } = Server.prototype;
    const wait = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_000);
    if (!isMainThread) Server.prototype.listen = function (...args) { return listen.apply(this.once('connection', wait), args); };`;
  const startedAt = performance.now();
  const server = await start({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(answerLate)}` });
  expect(performance.now() - startedAt).toBeGreaterThan(6_000);
  expect((await createCommand(server)).status).toBe(202);
});

test('prints a secret at no start, and a restart leaves the profiles unchanged', async () => {
  const first = await start();
  for (const file of ['platform-admin.json', 'demo.json'] as const) {
    expect(statSync(join(dataDirectory(), file)).mode & 0o777).toBe(0o600);
    expect(profile(file).secret).toMatch(SECRET);
  }
  const before = profile('demo.json');
  expect(await first.stop()).toBe(0);

  const second = await start();
  expect(await second.stop()).toBe(0);

  expect(profile('demo.json')).toEqual(before);
  expect(first.stdout() + first.stderr() + second.stdout() + second.stderr()).not.toMatch(SECRET);
});

test('ends with one line if the embedded database ends', async () => {
  const killWorkerOnSignal = "process.on('worker',(worker)=>process.on('SIGUSR2',()=>worker.terminate()))";
  const preload = `data:text/javascript,${encodeURIComponent(killWorkerOnSignal)}`;
  initialize();
  const server = await start({ NODE_OPTIONS: `--import=${preload}`, LOG_LEVEL: 'silent' });
  const closed = once(server.process, 'close');
  server.process.kill('SIGUSR2');
  expect(await closed).toEqual([1, null]);
  expect(server.stderr()).toMatch(/^The embedded database in .* ended: .*\n$/);
});

test('bootstrap-admin prints a profile whose base_url is a URL, also for an IPv6 address', () => {
  const environment = { PATH: process.env.PATH, DATA_DIR: dataDirectory(), HOST: '::', PORT: '8787' };
  const printed = execFileSync(process.execPath, [main, 'bootstrap-admin'], { env: environment, encoding: 'utf8' });
  expect(JSON.parse(printed).base_url).toBe('http://[::]:8787');
});

test('bootstrap-admin --file never replaces a file: it may hold the only copy of a secret', () => {
  const folder = dataDirectory();
  const environment = { PATH: process.env.PATH, DATA_DIR: folder };
  const file = join(folder, 'profiles', 'admin.json');
  const bootstrap = (...flags: string[]) =>
    spawnSync(process.execPath, [main, 'bootstrap-admin', ...flags], { env: environment, encoding: 'utf8' });
  expect(bootstrap('--file', file)).toMatchObject({ status: 0, stdout: `${file}\n` });
  const profile = readFileSync(file, 'utf8');
  expect(JSON.parse(profile)).toMatchObject({ client_id: 'platform-admin', secret: expect.any(String) });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const again = bootstrap('--recover', '--file', file);
  expect([again.status, again.stderr]).toEqual([
    1,
    expect.stringContaining(`${file} exists, and may hold the only copy`),
  ]);
  expect(readFileSync(file, 'utf8')).toBe(profile);
  expect(bootstrap('--fiel', file)).toMatchObject({ status: 1, stderr: expect.stringContaining('--fiel') });
});

/** Process 1 of a container ignores a signal without a handler, so the exit must be the server's own. */
test('ends on SIGTERM with 143 while it waits for a Postgres that does not answer', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const keyring = JSON.stringify({ primary: 'k1', keys: { k1: Buffer.alloc(32).toString('base64') } });
  const child = spawn(process.execPath, [main], {
    env: { PORT: '0', DATA_DIR: folder, DATABASE_URL: `postgres://top@127.0.0.1:${port}/top`, KEYRING: keyring },
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const connected = once(silent, 'connection').then(() => child.kill('SIGTERM'));
  expect(await Promise.race([exited, connected])).toBe(true);
  expect(await exited).toEqual([143, null]);
});

test('keeps an accepted command through kill -9', async () => {
  initialize();
  const first = await start();
  const created = await createCommand(first);
  expect(created.status).toBe(202);
  first.process.kill('SIGKILL');
  await first.stop();

  const { body } = await listCommands(await start());
  expect(body.items.map((command: { command_id: string }) => command.command_id)).toEqual([created.body.command_id]);
});
