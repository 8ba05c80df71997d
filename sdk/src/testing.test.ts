import document from '@tenant-open-platform/contract/openapi.json' with { type: 'json' };
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bodies, schemas } from './bodies.gen.js';
import { type ApiError, isTenantOpenPlatformError, TenantOpenPlatform } from './index.js';
import { connectionLost, refusal, silence, TestPlatform, UnexpectedCallError } from './testing.js';
import { problemsOf } from './validate-body.js';

type Media = { example?: unknown; examples?: Record<string, { value: unknown }> };
type DescribedOperation = {
  operationId: keyof typeof bodies;
  requestBody?: { content: { 'application/json': Media } };
};

const reboot = { vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {} };

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

function start(options = {}) {
  const platform = new TestPlatform();
  return { platform, client: new TenantOpenPlatform({ ...platform.options, ...options }) };
}

test('returns the answers of the test, and shows the sent requests', async () => {
  const { platform, client } = start();
  platform
    .on('commands.create', { command_id: 'c1', status: 'ACCEPTED' })
    .on('commands.get', { command_id: 'c1', status: 'SUCCEEDED' });
  expect(await client.commands.createAndWait(reboot)).toMatchObject({ status: 'SUCCEEDED' });
  expect(platform.requests).toMatchObject([
    { operation: 'commands.create', path: [], body: reboot },
    { operation: 'commands.get', path: ['c1'], query: { wait_seconds: '30' }, body: undefined },
  ]);
  platform.assertDone();
});

test('answers lists, including the bare list of credentials and the event log', async () => {
  const { platform, client } = start();
  platform.on('tenants.list', [{ tenant_id: 'a' }]).on('credentials.list', [{ client_id: 'b' }]);
  platform.on('events.list', [{ event_id: 'c', cursor: 'x' }]);
  expect(await client.tenants.list().toArray()).toEqual([{ tenant_id: 'a' }]);
  expect(await client.credentials.list('a').toArray()).toEqual([{ client_id: 'b' }]);
  for await (const { event_id } of client.events.follow({ from: 'now' })) {
    expect(event_id).toBe('c');
    break;
  }
});

test('faults become the errors that the client knows', async () => {
  const { platform, client } = start();
  platform.on('me.get', connectionLost(), refusal(503, 'SERVICE_UNAVAILABLE'), { client_id: 'test-client' });
  expect(await client.me.get()).toMatchObject({ client_id: 'test-client' });
  platform.on('me.get', refusal(403, 'FORBIDDEN', { metadata: { required_scope: 'a:b' } }), silence());
  await expect(client.me.get()).rejects.toMatchObject({ code: 'FORBIDDEN', metadata: { required_scope: 'a:b' } });
  await expect(client.me.get({ maxRetries: 0, timeoutMs: 50 })).rejects.toMatchObject({ name: 'TimeoutError' });
  platform.assertDone();
});

test('a final status ends a wait, and every state before it is told', async () => {
  const { platform, client } = start();
  platform.on('commands.get', { status: 'ACCEPTED' }, { status: 'DISPATCHED' }, { status: 'TIMED_OUT' });
  const seen: string[] = [];
  const command = await client.commands.wait('c1', { onUpdate: ({ status }) => seen.push(status) });
  expect(command).toMatchObject({ status: 'TIMED_OUT', completed_at: expect.any(String) });
  expect(seen).toEqual(['ACCEPTED', 'DISPATCHED', 'TIMED_OUT']);
});

test('a call without an answer is no error of the client, is not repeated, and so is an unused answer', async () => {
  const { platform, client } = start();
  platform.on('me.get', {});
  const error = await client.catalog.get().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UnexpectedCallError);
  expect(isTenantOpenPlatformError(error)).toBe(false);
  await expect(client.commands.createAndWait(reboot)).rejects.toBeInstanceOf(UnexpectedCallError);
  expect(platform.requests.map(({ operation }) => operation)).toEqual(['catalog.get', 'commands.create']);
  expect(() => platform.assertDone()).toThrow(
    /no answer for catalog.get \(GET .*\). .*no answer for commands.create .* Not called: me.get, 1 answers are left./,
  );
});

test.each<[problem: string, body: object, details: string[]]>([
  ['an unknown field', { ...reboot, prioriy: 1 }, ['body/prioriy is an unknown field']],
  [
    'a missing field',
    { vendor: 'vendor_a', payload: {} },
    ['body/device_id is required', 'body/command_type is required'],
  ],
  ['another type', { ...reboot, payload: [] }, ['body/payload must be object']],
  ['a number outside its range', { ...reboot, timeout_seconds: 301 }, ['body/timeout_seconds must be at most 300']],
  ['a text of another form', { ...reboot, vendor: 'Vendor A' }, ['body/vendor must match ^[a-z0-9][a-z0-9_-]{0,62}$']],
])('refuses a body with %s, as the platform does, and assertDone fails', async (_, body, details) => {
  const { platform, client } = start();
  platform.on('commands.create', { command_id: 'c1', status: 'ACCEPTED' });
  const error = await client.commands.create(body as typeof reboot).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'VALIDATION_FAILED', status: 400 });
  expect((error as ApiError).details.map(({ location, message }) => `${location} ${message}`)).toEqual(details);
  expect(() => platform.assertDone()).toThrow(`commands.create: The body is invalid: ${details.join(', ')}.`);
});

test('accepts every body that the document shows', () => {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods) as DescribedOperation[]);
  const shown = operations.flatMap(({ operationId, requestBody }) => {
    const { example, examples = {} } = requestBody?.content['application/json'] ?? {};
    const values = [example, ...Object.values(examples).map(({ value }) => value)].filter(
      (value) => value !== undefined,
    );
    return values.map((value) => [operationId, value] as const);
  });
  expect(shown.length).toBeGreaterThan(40);
  for (const [name, value] of shown) {
    const [schema = ''] = bodies[name] ?? [];
    expect([name, problemsOf(value, schemas[schema] ?? {})]).toEqual([name, []]);
  }
});

test('a mistake in a test is an error at once', () => {
  const { platform } = start();
  const untyped = platform as unknown as { on(...parameters: unknown[]): void };
  expect(() => untyped.on('comands.create', {})).toThrow('There is no operation comands.create.');
  expect(() => untyped.on('toString', {})).toThrow('There is no operation toString.');
  expect(() => untyped.on('me.get')).toThrow("on('me.get') needs an answer.");
  expect(() => untyped.on('me.get', undefined)).toThrow('An answer of me.get is an object, or a fault.');
  expect(() => untyped.on('tenants.list', { tenant_id: 'a' })).toThrow('is an array of items');
  expect(() => untyped.on('me.get', [])).toThrow('is an object');
  expect(() => refusal(200, 'NOT_FOUND')).toThrow('200 is no status of a refusal');
  expect(() => (refusal as (status: number) => unknown)(404)).toThrow('the code is missing');
});

test('signature, clock and nonce are verified', async () => {
  const { platform } = start();
  const other = new TenantOpenPlatform({ ...platform.options, secret: 'another-secret' });
  await expect(other.me.get()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });

  const { platform: late, client } = start();
  late.on('me.get', {}, {});
  const now = Date.now();
  const clock = vi.spyOn(Date, 'now').mockReturnValueOnce(now - 600_000);
  clock.mockReturnValue(now);
  expect(await client.me.get()).toBeTruthy();
  vi.spyOn(crypto, 'randomUUID').mockReturnValue('019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d');
  expect(await client.me.get()).toBeTruthy();
  await expect(client.me.get({ maxRetries: 0 })).rejects.toMatchObject({ code: 'NONCE_REUSED' });
});
