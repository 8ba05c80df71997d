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
  environment?: { ROLE?: string };
  command?: string | string[];
};

const compose: { services: Record<string, Service> } = parse(readFileSync(`${root}compose.yaml`, 'utf8'), {
  merge: true,
});
const services = Object.values(compose.services);

test('each tmpfs of compose.yaml is one path, with its options in the same string', () => {
  const mounts = services.flatMap(({ tmpfs }) => tmpfs ?? []);
  expect(mounts.length).toBeGreaterThan(0);
  for (const mount of mounts) expect(mount).toMatch(/^\/\w+(:\w+=\w+(,\w+=\w+)*)?$/);
});

test('compose.yaml kills no server within the 15 seconds that its stop may take', () => {
  const servers = services.filter(({ environment }) => environment?.ROLE);
  expect(servers).toHaveLength(2);
  for (const { stop_grace_period } of servers)
    expect(Number.parseInt(stop_grace_period ?? '10s', 10)).toBeGreaterThan(15);
});

test('a killed run of the service administrator loses no secret', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'platform-admin.new'), 'the only copy');
  // A second bootstrap-admin is refused, and this shell has no such program.
  const script = String(compose.services.administrator?.command).replaceAll('/secrets', folder);
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
