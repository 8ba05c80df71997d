import { createTenant, type Profile } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { type FetchInit, TenantOpenPlatform } from '../index.js';

const tenant = await createTenant();

const clientOf = ({ base_url, client_id, secret }: Profile, options: object = {}) =>
  new TenantOpenPlatform({ baseUrl: base_url, clientId: client_id, secret, ...options });
const sharing = (profile: Profile, options: object = {}) => clientOf(profile, { batch: { withinMs: 20 }, ...options });

const command = (fields: object = {}) => ({
  ...{ vendor: 'vendor_a', device_id: 'offline-1', command_type: 'reboot', payload: {}, timeout_seconds: 300 },
  ...fields,
});

/** Counts the requests of an operation. */
function counting() {
  const counts: Record<string, number> = {};
  const onRequest = ({ operation }: { operation: string }) => {
    counts[operation] = (counts[operation] ?? 0) + 1;
  };
  return { counts, hooks: { onRequest } };
}

const ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** What a caller sees of an answer or an error, without ids. */
async function outcomeOf(call: Promise<{ status: string }>): Promise<object> {
  try {
    return { status: (await call).status };
  } catch (error) {
    const { name, message, ...facts } = error as Error & Record<string, unknown>;
    for (const own of ['requestId', 'idempotencyKey', 'command']) delete facts[own];
    return { name, message: message.replaceAll(ID, 'ID'), ...facts };
  }
}

test('each command of a request ends as it does alone: good ones, refused ones and invalid ones', async () => {
  const [one, many] = [await createTenant(), await createTenant()];
  const used = command({ idempotency_key: 'used', timeout_seconds: 299 });
  const commands = [
    command(),
    command({ vendor: 'vendor_z' }),
    command({ command_type: 'explode' }),
    command({ command_type: 'set_temperature', payload: { celsius: 99 } }),
    command({ payload: { text: 'x'.repeat(32_768) } }),
    command({ payload: { text: 'x'.repeat(200_000) } }),
    command({ device_id: '' }),
    command({ unknown: 1 }),
    command({ timeout_seconds: 301 }),
    command({ payload: { text: 'NUL \0' } }),
    command({ payload: { n: Number.NaN } }),
    command({ idempotency_key: 'not visible\n' }),
    used,
    command({ idempotency_key: 'used', device_id: 'offline-2' }),
    command({ command_type: 'set_power', payload: { power: 'on' } }),
  ];
  const alone = clientOf(one.operator);
  await alone.commands.create(used);
  const expected = [];
  for (const each of commands) expected.push(await outcomeOf(alone.commands.create(each)));

  const { counts, hooks } = counting();
  const client = sharing(many.operator, { hooks });
  await clientOf(many.operator).commands.create(used);
  const outcomes = await Promise.all(commands.map((each) => outcomeOf(client.commands.create(each))));
  expect(outcomes).toEqual(expected);
  expect(counts['commands.createMany']).toBeGreaterThanOrEqual(1);
  expect(await clientOf(many.operator).commands.list().toArray()).toHaveLength(3);
});

test('commands are stored in the order of their calls, none lost, none twice, in requests of at most 500', async () => {
  const { operator } = await createTenant();
  const { counts, hooks } = counting();
  const client = sharing(operator, { hooks, batch: { withinMs: 500 } });
  const devices = Array.from({ length: 1_100 }, (_, index) => `offline-${index}`);
  const results = await Promise.all(devices.map((device_id) => client.commands.create(command({ device_id }))));
  expect(counts).toEqual({ 'commands.createMany': 3 });
  const stored = await clientOf(operator).commands.list({ order: 'asc', limit: 500 }).toArray();
  const ids = new Map(stored.map(({ command_id, device_id }) => [command_id, device_id]));
  expect(results.map(({ command_id }) => ids.get(command_id))).toEqual(devices);
  expect(stored).toHaveLength(devices.length);
  // Each request is one transaction; two at once may be stored in either order.
  const places = new Map(stored.map(({ device_id }, place) => [device_id, place]));
  for (const first of [0, 500, 1_000]) {
    const own = devices.slice(first, first + 500).map((device) => places.get(device) ?? -1);
    expect(own).toEqual([...own].sort((a, b) => a - b));
  }
});

test('a lost answer loses no command and doubles none', async () => {
  let lost = 0;
  const fetchLosing = async (url: string, init: FetchInit) => {
    const response = await fetch(url, init);
    if (init.method !== 'POST' || lost > 0) return response;
    lost += 1;
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) });
  };
  const { operator } = await createTenant();
  const client = sharing(operator, { fetch: fetchLosing });
  const calls = Array.from({ length: 50 }, () => client.commands.create(command()).withResponse());
  const results = await Promise.all(calls);
  expect(lost).toBe(1);
  expect(results.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual(Array(50).fill('true'));
  const stored = await clientOf(operator).commands.list({ limit: 500 }).toArray();
  expect(new Set(stored.map(({ command_id }) => command_id))).toEqual(
    new Set(results.map(({ data }) => data.command_id)),
  );
  expect(stored).toHaveLength(50);
});

test('after a failed call, its key finds the command that the request has created', async () => {
  const { operator } = await createTenant();
  const broken = async (url: string, init: FetchInit) => {
    await fetch(url, init);
    throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });
  };
  const client = sharing(operator, { fetch: broken, maxRetries: 0 });
  const calls = ['a', 'b'].map((device_id) => client.commands.create(command({ device_id })));
  const failed = await Promise.allSettled(calls);
  const again = clientOf(operator);
  for (const [index, device_id] of ['a', 'b'].entries()) {
    const { reason } = failed[index] as PromiseRejectedResult;
    const repeated = await again.commands.create(command({ device_id, idempotency_key: reason.idempotencyKey }));
    expect((await again.commands.get(repeated.command_id)).device_id).toBe(device_id);
  }
  expect(await again.commands.list().toArray()).toHaveLength(2);
});

test('one key in two calls of a request is one command', async () => {
  const client = sharing(tenant.operator);
  const key = crypto.randomUUID();
  const [first, second] = await Promise.all(
    [1, 2].map(() => client.commands.create(command({ idempotency_key: key })).withResponse()),
  );
  expect(second?.data.command_id).toBe(first?.data.command_id);
  expect([first, second].map((each) => each?.headers.get('idempotent-replayed'))).toEqual([null, 'true']);
});

test('commands are waited for after a shared request', async () => {
  const { counts, hooks } = counting();
  const client = sharing(tenant.operator, { hooks });
  const devices = ['ok-1', 'fail-1', 'ok-2'];
  const done = await Promise.all(devices.map((device_id) => client.commands.createAndWait(command({ device_id }))));
  expect(done.map(({ device_id, status }) => [device_id, status])).toEqual([
    ['ok-1', 'SUCCEEDED'],
    ['fail-1', 'FAILED'],
    ['ok-2', 'SUCCEEDED'],
  ]);
  expect(counts['commands.createMany']).toBe(1);
  expect(counts['commands.create']).toBeUndefined();
});
