import { randomUUID } from 'node:crypto';
import { createTenant, type Profile, platform, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../../test/support/commands.js';
import { expectRefusal } from '../../../test/support/expect-refusal.js';

const BATCHES = '/api/v1/open/downlink/command-batches';
const EVENTS = '/api/v1/open/events';
const SUMMARY = '/api/v1/open/downlink/command-summary';

const tenant = await createTenant();

const command = (fields: object = {}) => ({
  vendor: 'vendor_a',
  device_id: 'offline-1',
  command_type: 'reboot',
  payload: {},
  idempotency_key: randomUUID(),
  timeout_seconds: 300,
  ...fields,
});

const createMany = (commands: unknown, fields: object = {}, caller: Profile = tenant.operator) =>
  signedRequest(caller, 'POST', BATCHES, { body: { commands, ...fields } });

const listed = async (query: string, caller = tenant.reader) =>
  (await signedRequest(caller, 'GET', `${COMMANDS}?limit=500&${query}`)).body.items;

const ACCEPTED = { status: 'ACCEPTED', command_id: expect.any(String), accepted_at: expect.any(String) };

test('accepts or refuses each command by itself, in the order of the request, as commands.create would', async () => {
  const commands = [
    command(),
    command({ vendor: 'vendor_z' }),
    command({ command_type: 'explode' }),
    command({ command_type: 'set_temperature', payload: { celsius: 99 } }),
    command({ payload: { text: 'x'.repeat(32_768) } }),
    command({ command_type: 'set_power', payload: { power: 'on' } }),
  ];
  const { status, headers, body } = await createMany(commands);
  expect(status).toBe(200);
  expect(body).toMatchObject({ batch_id: expect.any(String), request_id: headers['x-request-id'] });
  expect(body.items.map(({ idempotency_key }: Item) => idempotency_key)).toEqual(
    commands.map(({ idempotency_key }) => idempotency_key),
  );
  for (const [index, sent] of commands.entries()) {
    const { idempotency_key, ...item } = body.items[index];
    if (index === 0 || index === 5) {
      expect(item).toEqual(ACCEPTED);
      const { body: read } = await signedRequest(tenant.reader, 'GET', `${COMMANDS}/${item.command_id}`);
      expect(read).toMatchObject({ ...sent, accepted_at: item.accepted_at, batch_id: body.batch_id });
      continue;
    }
    const alone = await signedRequest(tenant.operator, 'POST', COMMANDS, { body: sent });
    const { request_id: _, ...refusal } = alone.body;
    expect(item).toEqual({ error: { status: alone.status, ...refusal } });
    expect(await listed(`idempotency_key=${idempotency_key}`)).toEqual([]);
  }
});

test('the commands of a request are in its order in lists, on the bus and in the event log, whatever their keys', async () => {
  const { operator, reader } = await createTenant();
  const numbers = Array.from({ length: 50 }, (_, number) => number);
  // Descending, then mixed.
  const keys = numbers.map((number) => `${number % 2 ? 'z' : 'a'}-${99 - number}-${randomUUID()}`);
  const { body } = await createMany(
    keys.map((idempotency_key) => command({ idempotency_key })),
    {},
    operator,
  );
  const ids = body.items.map(({ command_id }: Item) => command_id);
  const inList = await listed(`batch_id=${body.batch_id}&order=asc`, reader);
  expect(inList.map(({ command_id }: Item) => command_id)).toEqual(ids);
  const accepted = async () => {
    const { body: page } = await signedRequest(reader, 'GET', `${EVENTS}?limit=100&event_type=command.accepted`);
    return page.items.map(({ data }: { data: Item }) => data.command_id);
  };
  // The relay logs the commands in the order in which it takes and publishes them.
  await expect.poll(async () => (await accepted()).length).toBe(ids.length);
  expect(await accepted()).toEqual(ids);
});

type Item = { idempotency_key: string; command_id?: string; accepted_at?: string };

test('a batch of 500 commands is one transaction: all are accepted at the same instant', async () => {
  const { body } = await createMany(Array.from({ length: 500 }, () => command()));
  expect(body.items).toHaveLength(500);
  expect(new Set(body.items.map(({ accepted_at }: Item) => accepted_at)).size).toBe(1);
  expect(new Set(body.items.map(({ command_id }: Item) => command_id)).size).toBe(500);
});

test('a repeated request returns the same batch and the same commands, and creates none', async () => {
  const commands = [command(), command({ vendor: 'vendor_z' }), command()];
  const first = await createMany(commands);
  const again = await createMany(commands);
  expect(again.body.batch_id).toBe(first.body.batch_id);
  const [one, refused, other] = first.body.items;
  expect(again.body.items).toEqual([
    { ...one, idempotent_replayed: true },
    refused,
    { ...other, idempotent_replayed: true },
  ]);
  expect(await listed(`batch_id=${first.body.batch_id}`)).toHaveLength(2);
});

test('a key that is repeated within a request is answered as in a sequence of requests', async () => {
  const [idempotency_key, other] = [randomUUID(), randomUUID()];
  const { body } = await createMany([
    command({ idempotency_key }),
    command({ idempotency_key }),
    command({ idempotency_key, device_id: 'offline-2', timeout_seconds: 299 }),
    command({ idempotency_key, payload: { force: true } }),
    command({ idempotency_key: other, vendor: 'vendor_z' }),
    command({ idempotency_key: other }),
    command({ idempotency_key: other, vendor: 'vendor_z' }),
  ]);
  const { command_id, accepted_at } = body.items[0];
  const existing = { idempotency_key, command_id, status: 'ACCEPTED', accepted_at };
  const later = { idempotency_key: other, ...ACCEPTED };
  expect(body.items).toEqual([
    existing,
    { ...existing, idempotent_replayed: true },
    { ...existing, idempotent_replayed: true, idempotency_mismatch: ['device_id', 'timeout_seconds'] },
    { ...existing, idempotent_replayed: true, idempotency_mismatch: ['payload'] },
    { idempotency_key: other, error: expect.objectContaining({ code: 'VENDOR_NOT_ENABLED' }) },
    later,
    { ...later, idempotent_replayed: true, idempotency_mismatch: ['vendor'] },
  ]);
});

test('of many commands of a request with one key, the first is stored, and the later ones replay it', async () => {
  const keys = Array.from({ length: 20 }, () => randomUUID());
  const keyAt = (position: number) => keys[position % keys.length];
  const commands = Array.from({ length: 100 }, (_, position) =>
    command({ idempotency_key: keyAt(position), device_id: `offline-${position}` }),
  );
  const { body } = await createMany(commands);
  const [first, later] = [body.items.slice(0, keys.length), body.items.slice(keys.length)];
  expect(first).toEqual(keys.map((idempotency_key) => ({ idempotency_key, ...ACCEPTED })));
  const replayed = { idempotent_replayed: true, idempotency_mismatch: ['device_id'] };
  expect(later).toEqual(later.map((_: Item, index: number) => ({ ...first[index % keys.length], ...replayed })));
  const stored = await listed(`batch_id=${body.batch_id}&order=asc`);
  expect(stored.map(({ device_id }: { device_id: string }) => device_id)).toEqual(
    keys.map((_, position) => `offline-${position}`),
  );
});

test('a payload nests as deep in a batch as alone: 31 levels', async () => {
  const vendor = `deep_${randomUUID().slice(0, 8)}`;
  const at = `/api/v1/platform/catalog/vendors/${vendor}`;
  await signedRequest(platform().admin, 'PUT', at, { body: { enabled: true } });
  await signedRequest(platform().admin, 'PUT', `${at}/command-types/any`, {
    body: { description: 'Any payload.', payload_schema: { type: 'object' } },
  });
  const deep = (levels: number) => command({ vendor, command_type: 'any', payload: nested(levels) });
  for (const body of [deep(31), { commands: [deep(31)] }]) {
    const answer = await signedRequest(tenant.operator, 'POST', 'commands' in body ? BATCHES : COMMANDS, { body });
    const item = answer.body.items?.[0] ?? answer.body;
    expect(item).toMatchObject(ACCEPTED);
    const { command_id } = item;
    const { body: read } = await signedRequest(tenant.reader, 'GET', `${COMMANDS}/${command_id}`);
    expect(read.payload).toEqual(nested(31));
  }
  for (const body of [deep(32), { commands: [deep(32)] }]) {
    const answer = await signedRequest(tenant.operator, 'POST', 'commands' in body ? BATCHES : COMMANDS, { body });
    expectRefusal(answer, 'MALFORMED_JSON');
  }
});

/** An object of so many levels. */
const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });

test('requests with one batch_id make one batch, which the list and the summary know', async () => {
  const batch_id = randomUUID();
  for (const count of [3, 2]) {
    const { body } = await createMany(
      Array.from({ length: count }, () => command()),
      { batch_id },
    );
    expect(body.batch_id).toBe(batch_id);
  }
  await createMany([command()]);
  expect(await listed(`batch_id=${batch_id}`)).toHaveLength(5);
  const [{ command_id }] = await listed(`batch_id=${batch_id}`);
  await signedRequest(tenant.operator, 'POST', `${COMMANDS}/${command_id}/cancel`);
  const { body } = await signedRequest(tenant.reader, 'GET', `${SUMMARY}?batch_id=${batch_id}`);
  expect(body).toMatchObject({ total: 5, next_older_than: null });
  expect(Object.values<number>(body.counts).reduce((a, b) => a + b)).toBe(5);
  expect(body.counts.SUCCEEDED).toBe(0);
  const alone = await signedRequest(tenant.operator, 'POST', COMMANDS, { body: command() });
  expect((await signedRequest(tenant.reader, 'GET', `${COMMANDS}/${alone.body.command_id}`)).body.batch_id).toBe(null);
});

test('the summary counts a time range, and older commands with older_than', async () => {
  const { reader, operator } = await createTenant();
  const summary = async (query: string) => (await signedRequest(reader, 'GET', `${SUMMARY}?${query}`)).body;
  const first = await createMany([command(), command()], {}, operator);
  const second = await createMany([command()], {}, operator);
  const [{ accepted_at, command_id }] = second.body.items;
  const instant = encodeURIComponent(accepted_at);
  expect((await summary(`accepted_after=${instant}`)).total).toBe(1);
  expect((await summary(`accepted_before=${instant}`)).total).toBe(2);
  expect((await summary(`older_than=${command_id}`)).total).toBe(2);
  expect((await summary(`older_than=${command_id}&batch_id=${second.body.batch_id}`)).total).toBe(0);
  expect((await summary(`batch_id=${first.body.batch_id}`)).total).toBe(2);
});

test("another tenant's batch does not exist, and its keys and batch ids can be used", async () => {
  const other = await createTenant();
  const batch_id = randomUUID();
  const commands = [command(), command()];
  const own = await createMany(commands, { batch_id });
  expect(await listed(`batch_id=${batch_id}`, other.reader)).toEqual([]);
  expect((await signedRequest(other.reader, 'GET', `${SUMMARY}?batch_id=${batch_id}`)).body.total).toBe(0);
  const foreign = await createMany(commands, { batch_id }, other.operator);
  expect(foreign.body.items).toEqual(commands.map(({ idempotency_key }) => ({ idempotency_key, ...ACCEPTED })));
  const ids = new Set([...own.body.items, ...foreign.body.items].map(({ command_id }: Item) => command_id));
  expect(ids.size).toBe(4);
  expect(await listed(`batch_id=${batch_id}`)).toHaveLength(2);
});

test('a vendor that the tenant may not use is refused for its commands alone', async () => {
  const { tenant_id, operator } = await createTenant();
  const target = `/api/v1/platform/tenants/${tenant_id}`;
  await signedRequest(platform().admin, 'PUT', target, { body: { vendors: ['vendor_b'] } });
  const ofB = { vendor: 'vendor_b', command_type: 'lock' };
  const { body } = await createMany([command(), command(ofB), command()], {}, operator);
  expect(body.items.map((item: { error?: { code: string } }) => item.error?.code)).toEqual([
    'VENDOR_NOT_ENABLED',
    undefined,
    'VENDOR_NOT_ENABLED',
  ]);
});

test.each<[string, unknown, object, string]>([
  ['no commands', [], {}, 'body/commands'],
  ['501 commands', Array.from({ length: 501 }, () => command()), {}, 'body/commands'],
  ['commands that are no list', {}, {}, 'body/commands'],
  ['a command that is no object', [command(), null], {}, 'body/commands/1'],
  [
    'a command without key',
    [command(), command({ idempotency_key: undefined })],
    {},
    'body/commands/1/idempotency_key',
  ],
  ['a command with an unknown field', [command({ tenant_id: 'x' })], {}, 'body/commands/0/tenant_id'],
  ['a timeout out of range', [command(), command({ timeout_seconds: 301 })], {}, 'body/commands/1/timeout_seconds'],
  ['a batch_id that is no UUID', [command()], { batch_id: 'x' }, 'body/batch_id'],
])('a request with %s is refused as a whole, and nothing is stored', async (_, commands, fields, location) => {
  const answer = await createMany(commands, fields);
  expectRefusal(answer, 'VALIDATION_FAILED');
  expect(answer.body.details).toMatchObject([{ location }]);
  const keys = (Array.isArray(commands) ? commands : []).map((item) => item?.idempotency_key).filter(Boolean);
  for (const key of keys.slice(0, 2)) expect(await listed(`idempotency_key=${key}`)).toEqual([]);
});

test('a caller without the scope is refused as a whole, and nothing is stored', async () => {
  const commands = [command()];
  expectRefusal(await createMany(commands, {}, tenant.reader), 'FORBIDDEN');
  expect(await listed(`idempotency_key=${commands[0]?.idempotency_key}`)).toEqual([]);
});

test('the body may have 1 MiB, and not a byte more; other operations keep their limit', async () => {
  const padded = (bytes: number) => {
    const text = JSON.stringify({ commands: [command()] });
    return Buffer.from(text + ' '.repeat(bytes - text.length));
  };
  const send = (target: string, body: Buffer) => signedRequest(tenant.operator, 'POST', target, { body });
  expect((await send(BATCHES, padded(1_048_576))).status).toBe(200);
  expectRefusal(await send(BATCHES, padded(1_048_577)), 'PAYLOAD_TOO_LARGE');
  expectRefusal(await send(COMMANDS, padded(65_537)), 'PAYLOAD_TOO_LARGE');
  const { body } = await signedRequest(tenant.operator, 'GET', '/api/v1/open/me');
  expect(body.limits.batch_body_bytes).toBe(1_048_576);
});
