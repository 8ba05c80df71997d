import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { runPasted } from './documentation-blocks.js';
import { createTenant, platform, signedRequest } from './index.js';

vi.setConfig({ testTimeout: 180_000 });

const DAY_MS = 24 * 60 * 60 * 1000;
const LAST_DAY = '2035-03-08';

type Entry = { occurred_at: string; request_id: string };
type Day = { day: string; vendor: string; client_ids: string[] };

/** Runs the program of the page on these entries; returns who could send on each of the last seven days. */
async function whoCouldSend(vendor: string, entries: Entry[]): Promise<string[][]> {
  const ndjson = entries.map((entry) => JSON.stringify(entry)).join('\n');
  const run = `cat > data/audit.ndjson <<'ENTRIES'\n${ndjson}\nENTRIES\nnode examples/audit/who-could-send.mjs ${vendor} 7 ${LAST_DAY} < data/audit.ndjson`;
  const printed = await runPasted({ language: 'sh', marked: 'run', code: run });
  return printed
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as Day).client_ids);
}

test('the program answers for each of seven days from the entries of the platform, however a right was granted', async () => {
  const { tenant_id } = await createTenant();
  const below = `/api/v1/platform/tenants/${tenant_id}`;
  const vendor = `vendor-${randomUUID()}`;
  const vendorPath = `/api/v1/platform/catalog/vendors/${vendor}`;
  /** How many days ago each request was made. */
  const daysAgo = new Map<string, number>();
  const change = async (ago: number, method: string, target: string, body?: object) => {
    const answer = await signedRequest(platform().admin, method, target, body ? { body } : {});
    expect(answer.status, answer.raw).toBeLessThan(300);
    daysAgo.set(answer.body.request_id, ago);
    return answer.body;
  };
  const create = async (client_id: string, ago: number) =>
    change(ago, 'POST', `${below}/credentials`, { client_id, name: 'Backend' });
  const id = (name: string) => `${name}-${tenant_id}`.slice(0, 64);
  const [byRole, byPolicy, byOwnRole, expiring, reader] = ['a-role', 'b-policy', 'c-own', 'd-expiring', 'e-reader'].map(
    (name) => id(name),
  ) as [string, string, string, string, string];

  await change(20, 'PUT', vendorPath, { enabled: true });
  for (const client_id of [byRole, byPolicy, byOwnRole, expiring, reader]) await create(client_id, 20);
  // Through a built-in role: until the credential is DISABLED the day before yesterday, and again from today.
  await change(10, 'POST', `${below}/role-bindings`, { client_id: byRole, role: 'integration_operator' });
  await change(2, 'PUT', `${below}/credentials/${byRole}`, { status: 'DISABLED' });
  await change(0, 'PUT', `${below}/credentials/${byRole}`, { status: 'ACTIVE' });
  // Through a policy for one day.
  await change(5, 'POST', `${below}/policies`, { client_id: byPolicy, scope: 'open:command:create' });
  await change(5, 'DELETE', `${below}/policies?client_id=${byPolicy}&scope=open:command:create`);
  // Through a custom role, which grants the scope for three days.
  await change(10, 'PUT', `${below}/roles/own`, { scopes: ['open:command:read'] });
  await change(10, 'POST', `${below}/role-bindings`, { client_id: byOwnRole, role: 'own' });
  await change(4, 'PUT', `${below}/roles/own`, { scopes: ['open:command:read', 'open:command:create'] });
  await change(2, 'PUT', `${below}/roles/own`, { scopes: ['open:command:read'] });
  // Until it expires, three days ago.
  const end = new Date(Date.parse(LAST_DAY) - 3 * DAY_MS - 1).toISOString();
  await change(10, 'PUT', `${below}/credentials/${expiring}`, { expires_at: end });
  await change(10, 'POST', `${below}/role-bindings`, { client_id: expiring, role: 'integration_operator' });
  // Never.
  await change(10, 'POST', `${below}/role-bindings`, { client_id: reader, role: 'integration_reader' });
  // Nobody while the vendor is disabled, for a whole day.
  await change(2, 'PUT', vendorPath, { enabled: false });
  await change(0, 'PUT', vendorPath, { enabled: true });

  const log = async (tenant: string) => {
    const target = `/api/v1/platform/tenants/${tenant}/audit-events?limit=500`;
    const { body } = await signedRequest(platform().admin, 'GET', target);
    return body.items as Entry[];
  };
  const order = [...daysAgo.keys()];
  const entries = [...(await log(tenant_id)), ...(await log('platform'))].flatMap((entry) => {
    const ago = daysAgo.get(entry.request_id);
    if (ago === undefined) return [];
    const occurredAt = Date.parse(`${LAST_DAY}T12:00:00Z`) - ago * DAY_MS + order.indexOf(entry.request_id);
    return [{ ...entry, occurred_at: new Date(occurredAt).toISOString() }];
  });
  expect(entries).toHaveLength(daysAgo.size);

  expect(await whoCouldSend(vendor, entries)).toEqual([
    [byRole, expiring], // 6 days ago
    [byRole, byPolicy, expiring],
    [byRole, byOwnRole, expiring],
    [byRole, byOwnRole],
    [byRole, byOwnRole], // until it changed in the course of the day
    [],
    [byRole],
  ]);
});
