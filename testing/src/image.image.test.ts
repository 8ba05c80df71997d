import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { addresses, makeServices } from './compose.js';
import { resolveCompose } from './compose-file.js';
import { buildah, buildImage, configOf, processesOf, runIn, startIn } from './image.js';
import { postgresBinaries } from './private-postgres.js';
import { stopGroup } from './stop-group.js';
import { untilPrinted } from './until-printed.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const USER_KEY = 'UBFNE6B5MTLGA5SSPIK5TNKQQ2BNJQQ6G4Z5NGJLOPHC72TTHEDGMZB7';
const ACCOUNT_KEY = 'ACR5M566T4OBWTWJ6TWXIJSY6H4CTBXCV3QSQC33V4LMX6LEOBGEIFHO';
const FIRST_COMMAND = ['--vendor', 'vendor_a', '--device-id', 'ok-1', '--command-type', 'reboot', '--wait'];

let folder: string;
let built: ReturnType<typeof buildImage>;
let config: ReturnType<typeof configOf>;
let container: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'top-image-'));
  built = buildImage();
  config = configOf(built.image);
  container = buildah('from', '--pull-never', built.image);
});

afterAll(() => {
  buildah('rm', container);
  rmSync(folder, { recursive: true, force: true });
});

/** A folder that belongs to the user of the image. */
function volume(name: string): string {
  const path = join(folder, name);
  mkdirSync(path, { mode: 0o700 });
  chownSync(path, 1000, 1000);
  return path;
}

test('the image adds at most 250 MB to its base', () => {
  console.log(`The image adds ${(built.addedBytes / 1e6).toFixed(0)} MB to its base.`);
  expect(built.addedBytes).toBeLessThanOrEqual(250e6);
});

test('the image has no package manager and no compiler', async () => {
  const programs = 'npm npx corepack yarn pnpm apt apt-get dpkg pip python3 gcc cc g++ make';
  const found = await runIn(container, ['sh', '-c', `for name in ${programs}; do command -v $name; done; exit 0`]);
  expect(found).toBe('');
});

test('the server is not root, and can write only to /data and to folders for temporary files', async () => {
  const writable = await runIn(container, [
    'sh',
    '-c',
    'id -u; find / -xdev -writable ! -type l ! -path "/proc/*" ! -path "/dev/*" 2>&- || true',
  ]);
  const [user, ...paths] = writable.trim().split('\n');
  expect(user).toBe('1000');
  expect(paths.filter((path) => !['/data', '/tmp', '/var/tmp', '/run/lock'].includes(path))).toEqual([]);
});

test('on an embedded database it becomes healthy, completes a first command, and stops on SIGTERM with 0', async () => {
  const volumes = { '/data': volume('trial') };
  const environment = { PORT: '8899', HOST: '127.0.0.1' };
  const server = startIn(container, config.Entrypoint, { volumes, environment });
  onTestFinished(() => stopGroup(server));
  const welcome = await untilPrinted(server, /Send a first command/);
  expect(welcome).toContain('ready: http://127.0.0.1:8899');
  await runIn(container, config.Healthcheck.Test.slice(1), { environment });
  const topctl = ['topctl', '--profile-file', '/data/demo.json', 'commands', 'create', ...FIRST_COMMAND];
  expect(JSON.parse(await runIn(container, topctl, { volumes }))).toMatchObject({ status: 'SUCCEEDED' });
  const startedAt = performance.now();
  const exited = once(server, 'exit');
  for (const pid of processesOf(['/usr/local/bin/node', ...config.Entrypoint.slice(1)])) process.kill(pid, 'SIGTERM');
  expect(await exited).toEqual([0, null]);
  expect(performance.now() - startedAt).toBeLessThan(15_000);
});

describe('the services of compose.yaml', () => {
  let services: ReturnType<typeof makeServices>;
  const database = (user: string, password: string) => `postgres://${user}:${password}@${addresses.postgres}/top`;

  beforeAll(async () => {
    services = makeServices(resolveCompose(folder), { image: built.image, config, folder });
    await services.up('api', 'worker', 'nats-accounts');
  });
  afterAll(() => services?.stop());

  test('start in the order that the file demands, become healthy, and complete a first command', async () => {
    const output = await services.run('first-command');
    expect(JSON.parse(output.slice(output.lastIndexOf('\n{') + 1))).toMatchObject({ status: 'SUCCEEDED' });
  });

  test('give NATS the account of a new adapter, with a credential that can only read', async () => {
    const topctl = (service: string, file: string, ...parameters: string[]) =>
      services.exec(service, 'topctl', '--profile-file', file, ...parameters);
    const admin = (...parameters: string[]) =>
      topctl('first-command', '/administrator/platform-admin.json', ...parameters);
    await admin('tenants', 'create', '--tenant-id', 'pumps', '--name', 'Pumps');
    const keys = ['--bus-user-public-key', USER_KEY, '--bus-account-public-key', ACCOUNT_KEY];
    const principal = ['--tenant', 'pumps', '--principal-type', 'SERVICE', '--bus-user', 'adapter'];
    const created = await admin('bus-principals', 'create', ...principal, ...keys, '--output', 'json');
    const accounts = async () => (await fetch('http://127.0.0.1:8222/accountz')).text();
    // The account of a principal has its id as its name.
    const account = JSON.parse(created).principal_id;
    await vi.waitFor(async () => expect(await accounts()).toContain(account), { timeout: 60_000, interval: 500 });
    expect(services.content('accounts', 'accounts.conf')).toContain(USER_KEY);
    const reader = (...parameters: string[]) => topctl('nats-accounts', '/accounts-reader/profile.json', ...parameters);
    expect(JSON.parse(await reader('whoami', '--output', 'json')).scopes.sort()).toEqual([
      'platform:bus-principal:read',
      'platform:catalog:read',
      'platform:tenant:read',
    ]);
    await expect(reader('tenants', 'create', '--tenant-id', 'own', '--name', 'Own')).rejects.toThrow('FORBIDDEN');
  });

  test('see their own secrets only', async () => {
    const accounts = ['/accounts/accounts.conf', '/accounts/platform.pub'];
    const administrator = ['/administrator/acme.json', '/administrator/platform-admin.json'];
    const seen = {
      administrator: [...administrator, '/keyring/keyring.json'],
      api: ['/keyring/keyring.json', '/nkey/platform.nk'],
      worker: ['/keyring/keyring.json', '/nkey/platform.nk'],
      'accounts-reader': ['/accounts-reader/profile.json', ...administrator],
      'nats-accounts': ['/accounts-reader/profile.json', ...accounts],
      nats: [...accounts, '/nats.conf'],
      postgres: ['/superuser/password'],
      'first-command': administrator,
    };
    for (const [name, files] of Object.entries(seen)) expect(await services.readable(name), name).toEqual(files);
  });

  test('nobody who knows the password of the platform is superuser of Postgres', async () => {
    const password = services.content('superuser', 'password');
    expect(password).toMatch(/^[0-9a-f]{48}$/);
    await expect(isSuperuser(database('postgres', 'only-for-a-trial'))).rejects.toThrow('password authentication');
    expect(await isSuperuser(database('top', 'only-for-a-trial'))).toBe('f\n');
    expect(await isSuperuser(database('postgres', password))).toBe('t\n');
  });

  test('show metrics and probes only on a port of their own, and nothing of NATS but its clients’ port', async () => {
    const status = async (url: string) => (await fetch(url)).status;
    expect(await status(`http://${addresses.api}:8787/metrics`)).toBe(404);
    expect(await status(`http://${addresses.api}:8787/readyz`)).toBe(404);
    expect(await status(`http://${addresses.api}:9787/metrics`)).toBe(200);
    expect(await status('http://127.0.0.1:8222/healthz')).toBe(200);
    await expect(fetch(`http://${addresses.nats}:8222/healthz`)).rejects.toThrow('fetch failed');
  });

  test('refuse to run in production with the password of a trial', async () => {
    const production = join(folder, 'production');
    mkdirSync(production);
    const file = resolveCompose(production, { MODE: 'production', SIMULATED_FLEET: 'false' });
    const refused = makeServices(file, { image: built.image, config, folder });
    onTestFinished(() => refused.stop());
    for (const name of ['api', 'worker']) {
      await expect(refused.run(name)).rejects.toThrow('DATABASE_URL has the password of a trial');
    }
    await expect(refused.exec('administrator', 'tenant-open-platform', 'bootstrap-admin')).rejects.toThrow(
      'DATABASE_URL has the password of a trial',
    );
  });
});

test('every documented variable in .env reaches the platform, but for those that compose.yaml sets itself', () => {
  const page = readFileSync(join(root, 'docs/configuration.md'), 'utf8');
  const documented = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name = '']) => name);
  expect(documented.length).toBeGreaterThan(40);
  const written = Object.fromEntries(documented.map((name) => [name, `mine ${name}`]));
  const { services } = resolveCompose(volume('variables'), written);
  const replaced = (name: string) =>
    documented.filter((variable) => services[name]?.environment?.[variable] !== written[variable]).sort();
  const own = ['DATA_DIR', 'HOST', 'PORT', 'PROBES_HOST', 'PROBES_PORT', 'ROLE'];
  expect(replaced('api')).toEqual(own);
  expect(replaced('worker')).toEqual([...own, 'WORKERS']);
  expect(replaced('administrator')).toEqual([...own, 'WORKERS']);
});

test('the password of the database is in no other service than those that use it', () => {
  const { services } = resolveCompose(volume('password'), { DATABASE_PASSWORD: 'mine' });
  const told = Object.entries(services).filter(([, service]) => JSON.stringify(service).includes('mine'));
  expect(told.map(([name]) => name).sort()).toEqual(['administrator', 'api', 'postgres', 'worker']);
});

const isSuperuser = async (url: string) => {
  const query = ['--tuples-only', '--no-align', '--command', 'select rolsuper from pg_roles where rolname = user'];
  return (await promisify(execFile)(join(postgresBinaries(), 'psql'), [url, ...query])).stdout;
};
