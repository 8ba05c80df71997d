import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../', import.meta.url));

type Service = { tmpfs?: string[]; stop_grace_period?: string; environment?: { ROLE?: string } };

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
