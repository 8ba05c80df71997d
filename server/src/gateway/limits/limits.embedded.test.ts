import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Answer,
  atEnd,
  databaseFolder,
  type Profile,
  type RequestOptions,
  signedRequest,
} from '@tenant-open-platform/testing';
import { type RunningServer, startServer } from '@tenant-open-platform/testing/start-server';
import { beforeAll, describe, expect, test } from 'vitest';

const LIMIT = 10;
const ME = '/api/v1/open/me';

const folder = databaseFolder();
let server: RunningServer | null = null;
atEnd(() => server?.stop());
let admin: Profile;
let demo: Profile;
/** Operators of the tenant demo that no test has used. */
const unused: Profile[] = [];

async function restart(environment: Record<string, string>): Promise<void> {
  await server?.stop();
  const limits = { REQUESTS_PER_MINUTE: String(LIMIT), FAILED_AUTHENTICATIONS_PER_MINUTE: String(LIMIT) };
  server = await startServer({ DATA_DIR: folder, ...limits, ...environment });
  const { baseUrl } = server;
  const profile = (file: string) => ({ ...JSON.parse(readFileSync(join(folder, file), 'utf8')), base_url: baseUrl });
  admin = profile('platform-admin.json');
  demo = profile('demo.json');
}

await restart({ REQUESTS_PER_MINUTE: '1000' });
while (unused.length < 11) unused.push(await createOperator());

async function createOperator(): Promise<Profile> {
  const target = `/api/v1/platform/tenants/${demo.tenant_id}`;
  const client_id = `operator-${randomUUID()}`;
  const made = await signedRequest(admin, 'POST', `${target}/credentials`, { body: { client_id, name: 'Operator' } });
  const binding = { client_id, role: 'integration_operator' };
  expect((await signedRequest(admin, 'POST', `${target}/role-bindings`, { body: binding })).status).toBe(201);
  return { ...demo, client_id, secret: made.body.secret };
}

/** A credential without any request, so that its test has its whole quota. */
function unusedOperator(): Profile {
  const operator = unused.pop();
  if (!operator) throw new Error('Create more operators.');
  return { ...operator, base_url: demo.base_url };
}

/** As a proxy forwards it: the address that the client claims, then the address that the proxy saw. */
const from = (address: string, options: RequestOptions = {}): RequestOptions => ({
  ...options,
  headers: { 'X-Forwarded-For': `203.0.113.${Math.floor(Math.random() * 200)}, ${address}` },
});

const ask = (caller: Profile, options?: RequestOptions) => signedRequest(caller, 'GET', ME, options);

async function failOften(caller: Profile, options: RequestOptions, times = LIMIT): Promise<void> {
  for (let attempt = 0; attempt < times; attempt++) {
    const answer = await ask(caller, { ...options, signature: `v1=${'0'.repeat(64)}` });
    expect(answer.body.code).toBe('UNAUTHENTICATED');
  }
}

function expectRateLimited({ status, headers, body }: Answer, quota: string, limit = LIMIT): void {
  expect([status, body.code, body.metadata]).toEqual([429, 'RATE_LIMITED', { quota, limit }]);
  const seconds = Number(headers['retry-after']);
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(headers.ratelimit).toBe(`"${quota}";r=0;t=${seconds}`);
  expect(headers['ratelimit-policy']).toBe(`"${quota}";q=${limit};w=60`);
}

describe('behind a proxy', () => {
  beforeAll(() => restart({ TRUST_PROXY: '1' }));

  test('a credential is refused above its limit, and failures in its name do not use up the limit', async () => {
    const operator = unusedOperator();
    const address = from('198.51.100.1');
    for (let request = 0; request < LIMIT - 1; request++) expect((await ask(operator, address)).status).toBe(200);
    await failOften(operator, address, LIMIT - 1);
    const last = { ...address, nonce: randomUUID(), timestamp: Math.floor(Date.now() / 1000) };
    expect((await ask(operator, last)).status).toBe(200);

    expectRateLimited(await ask(operator, address), 'credential');
    expectRateLimited(await signedRequest(operator, 'GET', '/api/v1/platform/tenants', address), 'credential');
    expect((await ask(operator, last)).body.code).toBe('NONCE_REUSED');
    expect((await ask(operator, { ...address, timestamp: 1_000_000_000 })).body.code).toBe('CLOCK_SKEW');
    expect((await ask(admin, address)).status).toBe(200);
  });

  test('above the limit of its address a correct signature passes, even if this process has not cached the key', async () => {
    const operator = unusedOperator();
    const address = from('198.51.100.2');
    const guess = (client_id: string, options = address) => ask({ ...admin, client_id }, options);
    await failOften({ ...admin, client_id: 'guessed' }, address);

    const shown = ({ headers, body }: Answer) => [Object.keys(headers).sort(), { ...body, request_id: null }];
    const unknown = await guess('nobody');
    expectRateLimited(unknown, 'address');
    expect(shown(await guess(operator.client_id))).toEqual(shown(unknown));
    expect((await ask(operator, address)).status).toBe(200);
    expect(shown(await guess(operator.client_id))).toEqual(shown(unknown));

    const target = `/api/v1/platform/tenants/${demo.tenant_id}/credentials`;
    const client_id = `rotated-${randomUUID()}`;
    const first = await signedRequest(admin, 'POST', target, { ...address, body: { client_id, name: 'Rotated' } });
    const before = { ...demo, client_id, secret: first.body.secret };
    expect((await ask(before, address)).status).toBe(200);
    const body = { rotate_secret: true };
    const rotated = await signedRequest(admin, 'PUT', `${target}/${client_id}`, { ...address, body });
    expect((await ask({ ...before, secret: rotated.body.secret }, address)).status).toBe(200);
    expectRateLimited(await ask(before, address), 'address');

    expect((await guess('guessed', from('198.51.100.3'))).body.code).toBe('UNAUTHENTICATED');
  });

  test('counts an address with and without port as one, IPv4-mapped IPv6 as IPv4, and IPv6 by its /64', async () => {
    const guessed = { ...admin, client_id: 'guessed' };
    for (const [first, second, third, other] of [
      ['2001:db8:1:2::1', '[2001:db8:1:2:ffff::9]:49152', '2001:db8:1:2:3:4:5:6', '2001:db8:1:3::1'],
      ['192.0.2.1', '192.0.2.1:49152', '::ffff:192.0.2.1', '192.0.2.2'],
    ] as const) {
      await failOften(guessed, from(first), LIMIT / 2);
      await failOften(guessed, from(second), LIMIT / 2);
      expectRateLimited(await ask(guessed, from(third)), 'address');
      expect((await ask(guessed, from(other))).body.code).toBe('UNAUTHENTICATED');
    }
  });

  test('replayed and late requests use up no quota of their credential', async () => {
    const operator = unusedOperator();
    const address = from('198.51.100.4');
    const once = { ...address, nonce: randomUUID(), timestamp: Math.floor(Date.now() / 1000) };
    expect((await ask(operator, once)).status).toBe(200);
    for (let attempt = 0; attempt < LIMIT; attempt++) {
      expect((await ask(operator, once)).body.code).toBe('NONCE_REUSED');
      expect((await ask(operator, { ...address, timestamp: 1_000_000_000 })).body.code).toBe('CLOCK_SKEW');
    }
    for (let request = 1; request < LIMIT; request++) expect((await ask(operator, address)).status).toBe(200);
    expectRateLimited(await ask(operator, address), 'credential');
  });

  test('a large answer counts as one more request for each 64 KiB', async () => {
    const operator = unusedOperator();
    const send = (method: string, target: string, options?: RequestOptions) =>
      signedRequest(operator, method, `/api/v1/open/${target}`, options);
    const command = { vendor: 'vendor_a', device_id: 'offline-1', command_type: 'update_firmware' };
    for (let number = 0; number < 5; number++) {
      const body = { ...command, payload: { version: `${'1'.repeat(30_000)}.0.0` }, idempotency_key: randomUUID() };
      expect((await send('POST', 'downlink/commands', { body })).status).toBe(202);
    }
    const list = await send('GET', 'downlink/commands?command_type=update_firmware&limit=5');
    expect(Math.floor(Buffer.byteLength(list.raw) / 65_536)).toBe(2);
    for (let request = 5 + 1 + 2; request < LIMIT; request++) expect((await ask(operator)).status).toBe(200);
    expectRateLimited(await ask(operator), 'credential');
  });

  test('a command above the limit is refused and not stored', async () => {
    const operator = unusedOperator();
    const create = (key: string, caller = operator) => {
      const body = { vendor: 'vendor_a', device_id: 'd-1', command_type: 'reboot', payload: {}, idempotency_key: key };
      return signedRequest(caller, 'POST', '/api/v1/open/downlink/commands', { body });
    };
    for (let request = 0; request < LIMIT; request++) expect((await create(randomUUID())).status).toBe(202);
    const key = randomUUID();
    expectRateLimited(await create(key), 'credential');
    const again = await create(key, unusedOperator());
    expect(again.status).toBe(202);
    expect(again.headers).not.toHaveProperty('idempotent-replayed');
  });

  test('each command of a batch counts, and those above the limit are refused alone and not stored', async () => {
    const operator = unusedOperator();
    const commands = Array.from({ length: LIMIT + 5 }, () => ({
      vendor: 'vendor_a',
      device_id: 'd-1',
      command_type: 'reboot',
      payload: {},
      idempotency_key: randomUUID(),
    }));
    const create = (caller: Profile) =>
      signedRequest(caller, 'POST', '/api/v1/open/downlink/command-batches', { body: { commands } });
    const { status, body } = await create(operator);
    expect(status).toBe(200);
    const codes = body.items.map((item: { error?: { code: string } }) => item.error?.code ?? 'ACCEPTED');
    expect(codes).toEqual([...Array(LIMIT).fill('ACCEPTED'), ...Array(5).fill('RATE_LIMITED')]);
    const { error } = body.items[LIMIT];
    expect(error).toMatchObject({ status: 429, metadata: { quota: 'credential', limit: LIMIT } });
    expect(error.retry_after_seconds).toBeGreaterThanOrEqual(1);
    expect(error.retry_after_seconds).toBeLessThanOrEqual(60);
    expectRateLimited(await create(operator), 'credential');

    const keys = commands.slice(LIMIT).map(({ idempotency_key }) => idempotency_key);
    const list = `/api/v1/open/downlink/commands?idempotency_key=${keys[0]}`;
    expect((await signedRequest(unusedOperator(), 'GET', list)).body.items).toEqual([]);
  });

  test('a revoked credential uses up no quota, and counts as a failure of its address', async () => {
    const operator = unusedOperator();
    const target = `/api/v1/platform/tenants/${operator.tenant_id}/credentials/${operator.client_id}`;
    const setStatus = (status: string) => signedRequest(admin, 'PUT', target, { body: { status } });
    expect((await setStatus('DISABLED')).status).toBe(200);
    const address = from('198.51.100.5');
    for (let attempt = 0; attempt < LIMIT; attempt++)
      expect((await ask(operator, address)).body.code).toBe('UNAUTHENTICATED');
    expectRateLimited(await ask(operator, address), 'address');
    expectRateLimited(await ask({ ...operator, client_id: 'guessed' }, address), 'address');

    expect((await setStatus('ACTIVE')).status).toBe(200);
    for (let request = 0; request < LIMIT; request++) expect((await ask(operator, address)).status).toBe(200);
  });
});

describe('without a proxy', () => {
  beforeAll(() => restart({ REQUESTS_PER_MINUTE_PER_TENANT: String(LIMIT + 5) }));

  test('the credentials of a tenant share a quota in addition to their own', async () => {
    const [first, second] = [unusedOperator(), unusedOperator()];
    const { limits } = (await ask(first)).body;
    expect([limits.requests_per_minute, limits.requests_per_minute_per_tenant]).toEqual([LIMIT, LIMIT + 5]);
    for (let request = 1; request < LIMIT; request++) expect((await ask(first)).status).toBe(200);
    expectRateLimited(await ask(first), 'credential');
    for (let request = 0; request < 5; request++) expect((await ask(second)).status).toBe(200);
    expectRateLimited(await ask(second), 'tenant', LIMIT + 5);
    const body = { vendor: 'vendor_a', device_id: 'd-1', command_type: 'reboot', payload: {}, idempotency_key: 'k-1' };
    const command = await signedRequest(second, 'POST', '/api/v1/open/downlink/commands', { body });
    expectRateLimited(command, 'tenant', LIMIT + 5);
    expect((await ask(admin)).status).toBe(200);
  });

  test('without a trusted proxy a client cannot choose its address', async () => {
    for (let attempt = 0; attempt < LIMIT; attempt++) {
      await failOften({ ...admin, client_id: 'guessed' }, from(`198.51.100.${attempt}`), 1);
    }
    expectRateLimited(await ask({ ...admin, client_id: 'guessed' }, from('198.51.100.100')), 'address');
  });
});
