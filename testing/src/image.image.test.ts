import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { startServices } from './compose.js';
import { buildah, buildImage, configOf, processesOf, runIn, startIn } from './image.js';
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

test('the services of compose.yaml complete a first command, and NATS gets the account of a new adapter', async () => {
  const services = await startServices(join(root, 'compose.yaml'), {
    image: built.image,
    entrypoint: config.Entrypoint,
    folder,
  });
  onTestFinished(services.stop);
  const output = await services.run('first-command');
  expect(JSON.parse(output.slice(output.lastIndexOf('\n{') + 1))).toMatchObject({ status: 'SUCCEEDED' });

  const keys = ['--bus-user-public-key', USER_KEY, '--bus-account-public-key', ACCOUNT_KEY];
  const principal = ['--tenant', 'acme', '--principal-type', 'SERVICE', '--bus-user', 'adapter'];
  await services.admin('bus-principals', 'create', ...principal, ...keys);
  await vi.waitFor(() => expect(services.accounts()).toContain(USER_KEY), { timeout: 60_000, interval: 500 });
});
