import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from './at-end.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

type Service = {
  tmpfs?: string[];
  stop_grace_period?: string;
  environment?: { ROLE?: string; PROBES_PORT?: number };
  entrypoint?: string[];
  command?: string | string[];
  restart?: string;
  healthcheck?: { test: string[] };
  volumes?: string[];
  networks?: string[];
  ports?: string[];
  env_file?: unknown[];
};

type Compose = { services: Record<string, Service>; networks: object; volumes: Record<string, null> };

const compose: Compose = parse(readFileSync(`${root}compose.yaml`, 'utf8'), { merge: true });
const services = Object.values(compose.services);
const namesOf = (holds: (service: Service) => boolean) =>
  Object.entries(compose.services).flatMap(([name, service]) => (holds(service) ? [name] : []));

/** They run the entry point of the image, or say that they shall be restarted. The others end. */
const LONG_RUNNING = ['api', 'worker', 'nats-accounts', 'postgres', 'nats'];

test('every service of compose.yaml that runs for long is restarted, and its health is checked', () => {
  expect(namesOf(({ restart }) => restart === 'unless-stopped')).toEqual(LONG_RUNNING);
  // The image checks the server itself.
  expect(namesOf(({ healthcheck }) => healthcheck?.test !== undefined)).toEqual(LONG_RUNNING.slice(2));
  for (const name of LONG_RUNNING.slice(0, 2)) expect(compose.services[name]).not.toHaveProperty('entrypoint');
});

test('each service of compose.yaml has only the volumes that it needs, and writes only to those that it fills', () => {
  const mounts = (name: string) => compose.services[name]?.volumes?.filter((mount) => !mount.startsWith('./')).sort();
  expect(Object.fromEntries(Object.keys(compose.services).map((name) => [name, mounts(name)]))).toEqual({
    init: Object.keys(compose.volumes)
      .filter((name) => name !== 'postgres')
      .map((name) => `${name}:/${name}`)
      .sort(),
    administrator: ['administrator:/administrator', 'keyring:/keyring:ro'],
    api: ['keyring:/keyring:ro', 'nkey:/nkey:ro'],
    worker: ['keyring:/keyring:ro', 'nkey:/nkey:ro'],
    'accounts-reader': ['accounts-reader:/accounts-reader', 'administrator:/administrator:ro'],
    'nats-accounts': ['accounts-reader:/accounts-reader:ro', 'accounts:/accounts'],
    nats: ['accounts:/accounts:ro', 'nats:/nats'],
    postgres: ['postgres:/var/lib/postgresql/data', 'superuser:/superuser:ro'],
    'first-command': ['administrator:/administrator'],
  });
});

test('no service of compose.yaml sees the processes of another one, or those of the machine', () => {
  const shared = ['pid', 'ipc', 'network_mode', 'privileged', 'userns_mode'];
  const found = Object.entries(compose.services).map(([name, service]) => [
    name,
    shared.filter((key) => key in service),
  ]);
  // `init` has no network at all.
  expect(found.filter(([, keys]) => keys?.length)).toEqual([['init', ['network_mode']]]);
  expect(compose.services.init).toMatchObject({ network_mode: 'none' });
});

test('adapters reach NATS and no other service, and NATS shows its keys to nobody else', () => {
  expect(Object.keys(compose.networks)).toEqual(['adapters']);
  expect(namesOf(({ networks = [] }) => networks.includes('adapters'))).toEqual(['nats']);
  expect(readFileSync(`${root}deploy/compose/nats.conf`, 'utf8')).toMatch(/^http: "127\.0\.0\.1:8222"$/m);
});

test('compose.yaml publishes the API alone: probes and metrics have a port of their own', () => {
  expect(namesOf(({ ports }) => ports !== undefined)).toEqual(['api']);
  expect(compose.services.api?.ports).toEqual([expect.stringMatching(/:-127\.0\.0\.1\}:8787-8788:8787$/)]);
  for (const { environment } of services.filter(({ environment }) => environment?.ROLE)) {
    expect(environment).toMatchObject({ PORT: 8787, PROBES_PORT: 9787 });
  }
});

test('the variables of .env reach each service that runs the server', () => {
  const servers = namesOf(({ environment }) => environment?.ROLE !== undefined);
  expect(servers).toEqual(['administrator', 'api', 'worker']);
  expect(namesOf(({ env_file }) => env_file !== undefined)).toEqual(servers);
  for (const name of servers) {
    expect(compose.services[name]?.env_file).toEqual(['deploy/compose/trial.env', { path: '.env', required: false }]);
  }
});

test('compose.yaml has the one password that the platform refuses in production', () => {
  const [, refused] =
    /^const TRIAL_PASSWORD = .*:([\w-]+)@\/;$/m.exec(readFileSync(`${root}server/src/config.ts`, 'utf8')) ?? [];
  for (const file of ['compose.yaml', 'deploy/compose/trial.env']) {
    const defaults = [...readFileSync(`${root}${file}`, 'utf8').matchAll(/\$\{\w*PASSWORD:-([^}]*)\}/g)];
    expect(defaults.map(([, password]) => password)).toEqual([refused]);
  }
});

test('each tmpfs of compose.yaml is one path, with its options in the same string', () => {
  const mounts = services.flatMap(({ tmpfs }) => tmpfs ?? []);
  expect(mounts.length).toBeGreaterThan(0);
  for (const mount of mounts) expect(mount).toMatch(/^\/\w+(:\w+=\w+(,\w+=\w+)*)?$/);
});

test('compose.yaml kills no server within the 15 seconds that its stop may take', () => {
  const servers = ['api', 'worker'].flatMap((name) => compose.services[name] ?? []);
  expect(servers).toHaveLength(2);
  for (const { stop_grace_period } of servers)
    expect(Number.parseInt(stop_grace_period ?? '10s', 10)).toBeGreaterThan(15);
});

test('a killed run of the service administrator loses no secret', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'platform-admin.new'), 'the only copy');
  // A second bootstrap-admin is refused, and this shell has no such program.
  const script = String(compose.services.administrator?.command).replaceAll('/administrator', folder);
  execFileSync('sh', ['-euc', script], { stdio: 'pipe' });
  expect(readFileSync(join(folder, 'platform-admin.json'), 'utf8')).toBe('the only copy');
});

test('the health check of the image asks the address at which the server listens', async () => {
  const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const PORT = String((server.address() as AddressInfo).port);
  const [, check = ''] = readFileSync(`${root}Dockerfile`, 'utf8').match(/^HEALTHCHECK .*? CMD (\[.*\])$/m) ?? [];
  const parameters: string[] = JSON.parse(check).slice(1);
  const isHealthy = async (environment: Record<string, string>) => {
    const [code] = await once(spawn(process.execPath, parameters, { env: { PORT, ...environment } }), 'exit');
    return code === 0;
  };
  expect(await isHealthy({ HOST: '0.0.0.0' })).toBe(true);
  expect(await isHealthy({ HOST: '::' })).toBe(true);
  expect(await isHealthy({ HOST: '127.0.0.2', PROBES_HOST: '127.0.0.1', PROBES_PORT: PORT })).toBe(true);
  expect(await isHealthy({ HOST: '127.0.0.2' })).toBe(false);
});
