import { randomUUID } from 'node:crypto';
import { type Profile, signedRequest } from '@tenant-open-platform/testing';
import { getTableName } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { type PostgresCell as Cell, move, runMove, startCell } from '../../../test/support/cells.js';
import { COMMANDS, completed, newCommand } from '../../../test/support/commands.js';
import { startNeighbours } from '../../../test/support/neighbours.js';
import { newObjectCredential, newObjectResource } from '../../../test/support/new-object.js';
import { newPrincipal } from '../../../test/support/new-principal.js';
import { tenantTables } from '../../resources/tenants/tenant-tables.js';

const [a, b] = await Promise.all([startCell(), startCell()]);
const EVENTS = '/api/v1/open/events';
const soon = { timeout: 50_000, interval: 50 };

/** Rows in every table. */
async function fill(cell: Cell, tenantId: string) {
  await cell.call('POST', 'platform/tenants', { tenant_id: tenantId, name: 'Acme', requests_per_minute: 1_000_000 });
  const admin = await cell.newProfile(tenantId, 'tenant_admin');
  const operator = await cell.newProfile(tenantId, 'integration_operator');
  const tenant = `platform/tenants/${tenantId}`;
  await cell.call('PUT', `${tenant}/roles/reader`, { scopes: ['open:event:read'] });
  await cell.call('POST', `${tenant}/policies`, { client_id: operator.client_id, scope: 'open:event:read' });
  await cell.call('POST', `${tenant}/bus/principals`, newPrincipal());
  const endpoint = { name: 'hook', url: 'https://hooks.acme.example/x' };
  const { endpoint_id } = await cell.call('POST', 'open/callbacks/endpoints', endpoint, admin);
  const subscription = { event_type: 'command.completed' };
  await cell.call('POST', `open/callbacks/endpoints/${endpoint_id}/subscriptions`, subscription, admin);
  const { credential_id } = await cell.call('POST', 'open/objects/credentials', newObjectCredential(), admin);
  const { resource_id } = await cell.call('POST', 'open/objects/resources', newObjectResource(credential_id), admin);
  const presign = { operation: 'DOWNLOAD', resource_id, object_key: 'a.bin' };
  await cell.call('POST', 'open/objects/presign', presign, operator);
  await cell.owner`
    insert into parked_messages (tenant_id, parked_message_id, subject, reason, body)
    values (${tenantId}, ${randomUUID()}, ${`tenants.${tenantId}.command-updates.vendor_a`}, 'r', 'x')`;
  await cell.owner`
    insert into device_requests (
      tenant_id, device_request_id, vendor, device_id, request_type, payload, dedupe_id, status, received_at, expires_at
    )
    values (${tenantId}, ${randomUUID()}, 'vendor_a', 'd', 'ask', '{}', 'd', 'PENDING', now(), now() + interval '1 day')`;
  return { admin, operator, resource_id };
}

const countRows = async (cell: Cell, tenantId: string) =>
  Object.fromEntries(
    await Promise.all(
      tenantTables.map(async (table) => {
        const name = getTableName(table);
        const [row] = await cell.owner.unsafe(
          `select count(*)::int as count from ${name} where tenant_id = '${tenantId}'`,
        );
        return [name, row?.count] as const;
      }),
    ),
  );

const at = (profile: Profile, cell: Cell) => ({ ...profile, base_url: cell.baseUrl });
const send = (profile: Profile, cell: Cell, method: string, target: string, options = {}) =>
  signedRequest(profile, method, target, { node: cell.baseUrl, ...options });

async function eventsFrom(profile: Profile, cell: Cell, cursor: string | null): Promise<string[]> {
  const ids: string[] = [];
  for (let next = cursor; ; ) {
    const { status, body, raw } = await send(profile, cell, 'GET', `${EVENTS}?limit=3${next ? `&cursor=${next}` : ''}`);
    if (status !== 200) throw new Error(raw);
    if (body.items.length === 0) return ids;
    ids.push(...body.items.map(({ event_id }: { event_id: string }) => event_id));
    next = body.next_cursor;
  }
}

test('a tenant moves with everything, and comes back', async () => {
  const neighbours = await Promise.all([a, b].map((cell) => startNeighbours(cell, 'acme')));
  const { admin, operator } = await fill(a, 'acme');
  await a.serve('acme');
  const key = randomUUID();
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push(await newCommand(operator, n === 0 ? { idempotency_key: key } : {}));
  for (const id of ids) await completed(operator, id);
  const first = await send(operator, a, 'GET', `${EVENTS}?limit=3`);
  const all = await eventsFrom(operator, a, null);
  expect(all).toHaveLength(10);
  const nonce = randomUUID();
  const timestamp = Math.floor(Date.now() / 1000);
  expect((await send(operator, a, 'GET', EVENTS, { nonce, timestamp })).status).toBe(200);
  const rotation = {
    headers: { 'Idempotency-Key': randomUUID() },
    body: { name: 'hook2', url: 'https://hooks.acme.example/y' },
  };
  const created = await send(admin, a, 'POST', '/api/v1/open/callbacks/endpoints', rotation);
  expect(created.status).toBe(201);
  const before = await countRows(a, 'acme');
  const empty = Object.entries(before).filter(([, count]) => count === 0);
  expect(empty.map(([name]) => name)).toEqual(['outbox', 'event_log_origins']);

  expect((await runMove(a, b, ['acme', '--to-url', b.baseUrl, '--plan'])).stdout).toMatch(/^acme can move/);
  await move(a, b, 'acme');
  const after = await countRows(b, 'acme');
  // The beginning and the arrival.
  expect(after).toEqual({ ...before, event_log_origins: 1, audit_events: before.audit_events + 2 });

  expect((await send(operator, b, 'GET', EVENTS, { nonce, timestamp })).body.code).toBe('NONCE_REUSED');
  const again = await send(operator, b, 'POST', COMMANDS, {
    body: { vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {}, idempotency_key: key },
  });
  expect(again.body.command_id).toBe(ids[0]);
  const replayed = await send(admin, b, 'POST', '/api/v1/open/callbacks/endpoints', rotation);
  expect(replayed.body.secret).toBe(created.body.secret);
  expect(await eventsFrom(operator, b, null)).toEqual(all);
  expect(await eventsFrom(operator, b, first.body.next_cursor)).toEqual(all.slice(3));
  expect((await send(operator, a, 'GET', EVENTS)).status).toBe(503);
  await a.owner`update tenants set move = move || '{"moved_at": "2026-01-01T00:00:00Z"}' where tenant_id = 'acme'`;
  const refused = await send(operator, a, 'GET', EVENTS);
  expect([refused.status, refused.body.code, refused.body.metadata]).toEqual([
    421,
    'TENANT_MOVED',
    { base_url: b.baseUrl },
  ]);
  expect((await send({ ...operator, secret: 'x' }, a, 'GET', EVENTS)).status).toBe(401);
  await a.owner`update credentials set requests_per_minute = 5 where tenant_id = 'acme'`;
  const many = await Promise.all(Array.from({ length: 12 }, () => send(operator, a, 'GET', EVENTS)));
  expect(many.map(({ status }) => status)).toContain(429);
  await vi.waitFor(async () => {
    const left = Object.entries(await countRows(a, 'acme')).filter(([, count]) => count > 0);
    expect(left).toEqual([['credentials', 2]]);
    expect((await a.call('GET', 'platform/tenants/acme')).deletion.finished_at).not.toBeNull();
  }, soon);
  expect(await a.call('GET', 'platform/tenants/acme')).toMatchObject({
    status: 'MOVED',
    moved_to: b.baseUrl,
    name: 'acme',
  });

  await b.serve('acme');
  const there = await newCommand(at(operator, b));
  await completed(at(operator, b), there);
  const longer = await eventsFrom(operator, b, null);
  expect(longer.slice(0, 10)).toEqual(all);
  expect(longer).toHaveLength(12);
  const inB = await send(operator, b, 'GET', `${EVENTS}?limit=11`);

  await move(b, a, 'acme');
  expect(await eventsFrom(operator, a, null)).toEqual(longer);
  expect(await eventsFrom(operator, a, first.body.next_cursor)).toEqual(longer.slice(3));
  expect(await eventsFrom(operator, a, inB.body.next_cursor)).toEqual(longer.slice(11));
  expect((await send(operator, a, 'GET', EVENTS, { nonce, timestamp })).body.code).toBe('NONCE_REUSED');
  await completed(operator, await newCommand(operator));
  expect(await eventsFrom(operator, a, inB.body.next_cursor)).toHaveLength(3);
  for (const { check } of neighbours) await check();
}, 600_000);

test('the log of tenant platform says who moved a tenant, when, and where; the log of the tenant shows where to', async () => {
  await a.call('POST', 'platform/tenants', { tenant_id: 'noted', name: 'noted' });
  const steps = async (cell: Cell, log: string) => {
    const { items } = await cell.call('GET', `platform/tenants/${log}/audit-events?client_id=move-tenant`);
    return (items as { operation: string; target: string; after: Record<string, string>; request_id: string }[])
      .filter(({ target }) => target === 'platform/tenants/noted')
      .map(({ operation, after, request_id }) => ({ operation: operation.split('.')[1], ...after, request_id }));
  };
  await runMove(a, b, ['noted', '--to-url', b.baseUrl], 'nothing is under way');
  await runMove(a, b, ['noted', '--undo']);
  const to = b.baseUrl;
  const operator = expect.stringMatching(/.@./);
  const [, undone] = await steps(a, 'noted');
  const first = { request_id: undone?.request_id };
  expect(await steps(a, 'noted')).toEqual([
    { operation: 'undo', ...first },
    { operation: 'begin', to, ...first },
  ]);
  await vi.waitFor(async () => expect((await b.call('GET', 'platform/tenants/noted')).status).toBe('DELETED'), soon);

  await move(a, b, 'noted');
  const inSource = await steps(a, 'platform');
  const second = { request_id: inSource[0]?.request_id };
  expect(inSource).toEqual([
    { operation: 'leave', to, operator, ...second },
    { operation: 'begin', to, operator, ...second },
    { operation: 'undo', operator, ...first },
    { operation: 'begin', to, operator, ...first },
  ]);
  const { host, pathname } = new URL(a.postgres.url);
  expect(await steps(b, 'platform')).toEqual([{ operation: 'arrive', from: host + pathname, to, operator, ...second }]);
  expect(await steps(b, 'noted')).toEqual([
    { operation: 'arrive', to, ...second },
    { operation: 'begin', to, ...second },
    { operation: 'undo', ...first },
    { operation: 'begin', to, ...first },
  ]);
});
