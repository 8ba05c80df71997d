import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { atEnd, type Profile, sign, signedRequest, startNode, unlimited } from '@tenant-open-platform/testing';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { describe, expect, test, vi } from 'vitest';
import { COMMANDS } from '../../../test/support/commands.js';

/** What one tenant may take of what all requests of a process need. */
const ME = '/api/v1/open/me';
const BATCHES = '/api/v1/open/downlink/command-batches';
const LONGEST_PAGE = `${COMMANDS}?limit=500`;
const IN_FLIGHT = 100;

const postgres = await ownPostgres();
const forms = {
  Postgres: await startNode({ ...unlimited, DATABASE_URL: postgres.url }),
  'the embedded database': await startNode(unlimited),
};

async function keepCommands(operator: Profile, fields: object, batches: number): Promise<void> {
  const command = () => ({ vendor: 'vendor_a', device_id: 'ok-1', idempotency_key: randomUUID(), ...fields });
  for (let batch = 0; batch < batches; batch++) {
    const commands = Array.from({ length: 500 / batches }, command);
    const { raw, body } = await signedRequest(operator, 'POST', BATCHES, { body: { commands } });
    expect(body.items, raw).toEqual(commands.map(() => expect.objectContaining({ status: 'ACCEPTED' })));
  }
}

async function newOperator(admin: Profile, tenant_id: string): Promise<Profile> {
  const tenants = '/api/v1/platform/tenants';
  const post = (target: string, body: object) => signedRequest(admin, 'POST', target, { body });
  await post(tenants, { tenant_id, name: tenant_id });
  const { body } = await post(`${tenants}/${tenant_id}/credentials`, { client_id: tenant_id, name: tenant_id });
  await post(`${tenants}/${tenant_id}/role-bindings`, { client_id: tenant_id, role: 'integration_operator' });
  return { ...admin, tenant_id, client_id: tenant_id, secret: body.secret };
}

describe.each(Object.entries(forms))('on %s', (_, { admin, demo }) => {
  test('while a tenant has a hundred of the longest pages in flight, another one is answered between them', async () => {
    await keepCommands(demo, { command_type: 'reboot', payload: {} }, 1);
    const other = await newOperator(admin, 'other');
    await signedRequest(other, 'GET', ME);
    let answered = 0;
    const pages = Array.from({ length: IN_FLIGHT }, async () => {
      const { status } = await signedRequest(demo, 'GET', LONGEST_PAGE);
      answered++;
      return status;
    });
    await Promise.race(pages);
    let between = 0;
    while (answered < IN_FLIGHT) {
      expect((await signedRequest(other, 'GET', ME)).status).toBe(200);
      between++;
    }
    // On a slow machine the last of them may have waited too long.
    expect((await Promise.all(pages)).filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(between).toBeGreaterThan(IN_FLIGHT / 10);
  });
});

test('pages count before they are read: requests in flight do not exceed the quota', async () => {
  const quota = 80;
  const { admin } = forms.Postgres;
  const reader = await newOperator(admin, 'reader');
  await signedRequest(admin, 'PUT', '/api/v1/platform/tenants/reader/credentials/reader', {
    body: { requests_per_minute: quota },
  });
  const answers = await Promise.all(Array.from({ length: 40 }, () => signedRequest(reader, 'GET', LONGEST_PAGE)));
  const read = answers.filter(({ status }) => status === 200).length;
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThanOrEqual(quota / 8);
});

test('a tenant that does not read its answers is refused, and its connections end', async () => {
  const { admin, demo } = forms.Postgres;
  const other = await newOperator(admin, 'reading');
  const { hostname, port } = new URL(demo.base_url);
  // Pages of 1 MiB: the kernel may keep several MB of a connection, which then count as received.
  const payload = { version: '1.0.0', url: `https://${'x'.repeat(2_000)}` };
  await keepCommands(demo, { command_type: 'update_firmware', payload }, 25);
  const page = () => {
    const headers = Object.entries({ Host: hostname, ...sign(demo, 'GET', LONGEST_PAGE) });
    return `GET ${LONGEST_PAGE} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  };
  const isUnread = async () => {
    const { status, body } = await signedRequest(demo, 'GET', ME);
    return status === 429 && body.metadata.quota === 'unread';
  };
  // More than 32 MiB when each has one page that the kernel did not take.
  for (let connections = 0; connections < 80; connections++) {
    const socket = connect(Number(port), hostname, () => socket.write(Array.from({ length: 10 }, page).join('')));
    socket.on('error', () => {}).pause();
    atEnd(() => void socket.destroy());
  }
  await vi.waitFor(async () => expect(await isUnread()).toBe(true), { timeout: 60_000, interval: 100 });
  expect((await signedRequest(other, 'GET', ME)).status).toBe(200);
  // An idle connection ends after 60 seconds.
  await vi.waitFor(async () => expect(await isUnread()).toBe(false), { timeout: 45_000, interval: 500 });
}, 180_000);

/**
 * The bytes that the server has not read from its connection to this port; null without a connection. The client cannot
 * see either: it reads nothing.
 */
function unreadByServer(clientPort: number): number | null {
  const lines = ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/net/${name}`, 'utf8').split('\n'));
  const suffix = `:${clientPort.toString(16).toUpperCase().padStart(4, '0')}`;
  const established = lines.map((line) => line.trim().split(/\s+/)).filter(([, , , state]) => state === '01');
  const [, , , , queues] = established.find(([, , remote]) => remote?.endsWith(suffix)) ?? [];
  return queues === undefined ? null : Number.parseInt(queues.split(':')[1] ?? '', 16);
}

test('a stranger who does not read a document loses the connection', async () => {
  const { hostname, port } = new URL(forms.Postgres.demo.base_url);
  const socket = connect(Number(port), hostname);
  atEnd(() => void socket.destroy());
  socket.on('error', () => {}).pause();
  await once(socket, 'connect');
  const localPort = socket.localPort as number;
  expect(unreadByServer(localPort)).toBe(0);
  // A server reads no more requests once nobody reads its answers. How much the kernel keeps differs.
  await vi.waitFor(
    () => {
      socket.write('GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(10));
      expect(unreadByServer(localPort)).not.toBe(0);
    },
    { timeout: 120_000, interval: 100 },
  );
  // An idle connection ends after 60 seconds.
  await vi.waitFor(() => expect(unreadByServer(localPort)).toBe(null), { timeout: 45_000, interval: 500 });
}, 180_000);
