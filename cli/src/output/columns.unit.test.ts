import { allOperations } from '@tenant-open-platform/contract';
import document from '@tenant-open-platform/contract/openapi.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { topctl, unusedSecret } from '../../test/topctl.js';
import { widthOf } from './text-width.js';

type Described = { operationId: string; responses: Record<string, { content: Record<string, { example: object }> }> };

const described = Object.values(document.paths).flatMap((methods) => Object.values(methods) as Described[]);

const lists = allOperations.filter(({ name }) => name.endsWith('.list'));

/** Values of the length that users choose. */
const usual: Record<string, string> = {
  client_id: 'acme-order-system-production',
  name: 'Order system of the north plant',
  device_id: 'pump-7-north-building-2',
  bus_user: 'acme-vendor-a-adapter',
  url: 'https://hooks.acme.example/tenant-open-platform/commands',
  endpoint: 'https://objects.eu-central-1.acme.example:9000',
  bucket: 'acme-firmware-production',
  key_prefix: 'firmware/pumps/north/',
  target: 'platform/tenants/acme/credentials/acme-order-system-production',
  reason: 'device_execution_status: Invalid option, expected one of 6 values',
};

const lengthen = (_: string, value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([key, given]) => [key, usual[key] ?? given]))
    : value;

function answerOf(name: string, cursor: string | null): object {
  const example = described.find(({ operationId }) => operationId === name)?.responses[200]?.content[
    'application/json'
  ];
  const answer = JSON.parse(JSON.stringify(example?.example, lengthen));
  // The event log always has a cursor, and ends with an empty page.
  if (name === 'events.list') return { ...answer, next_cursor: 'end', ...(cursor === 'end' && { items: [] }) };
  return Array.isArray(answer) ? answer : { ...answer, next_cursor: null };
}

const kebab = (text: string) => text.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

test.each(lists)('$name shows few enough columns on a terminal of 80: each is readable', async ({ name, route }) => {
  const ids = [...route.path.matchAll(/:([a-z_]+)/g)].flatMap(([, id]) => (id === 'tenant_id' ? [] : 'vendor_a'));
  const tenant = route.path.includes(':tenant_id') ? ['--tenant', 'acme'] : [];
  const argv = [...kebab(name).split('.'), ...ids, ...tenant, '-o', 'table'];
  const env = { TOP_BASE_URL: 'http://127.0.0.1:1', TOP_CLIENT_ID: 'x', TOP_SECRET: unusedSecret };
  const { exitCode, stdout, stderr } = await topctl(argv, {
    env,
    table: true,
    fetch: (async (input) =>
      Response.json(answerOf(name, new URL(String(input)).searchParams.get('cursor')))) as typeof fetch,
  });
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  const [heading = '', ...rows] = stdout.trimEnd().split('\n');
  expect(rows).not.toEqual([]);
  const cells = [heading, ...rows].flatMap((line) => line.split(/ {2,}/));
  expect(cells.filter((cell) => cell.endsWith('…') && widthOf(cell) < 16)).toEqual([]);
  expect(stdout).not.toContain('platform/tenants/acme');
});
