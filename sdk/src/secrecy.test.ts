import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { answer, credential, fakeClient, networkFailure, refusal, type Step, silence } from '../test/fake-fetch.js';
import { cut, startFaultServer } from '../test/start-fault-server.js';
import { TenantOpenPlatform } from './index.js';

const random = credential.secret.slice(4);
const reboot = { vendor: 'vendor_a', device_id: 'd', command_type: 'reboot', payload: {} };

/** All that a program can print of a value: as console.log, inspect and JSON show it, and every property that it can reach. */
function everything(value: unknown): string {
  let printed = '';
  const stdout = new Writable({
    write(chunk, _, done) {
      printed += chunk;
      done();
    },
  });
  const console = new Console({ stdout });
  console.log(value);
  console.log('%s %o %O %j', value, value, value, value);
  console.dir(value, { depth: null, showHidden: true });
  const inspected = inspect(value, { depth: Infinity, showHidden: true, showProxy: true, getters: true });
  return [printed, inspected, JSON.stringify(value), String(value), ...reachable(value, new Set())].join('\n');
}

/** The texts behind all own properties, hidden ones, symbols and getters included, and those of the prototypes. */
function reachable(value: unknown, seen: Set<unknown>): string[] {
  if (typeof value === 'string') return [value];
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  if (!isObject || seen.has(value) || value === globalThis) return [];
  seen.add(value);
  const keys = Reflect.ownKeys(value);
  const read = (key: PropertyKey) => {
    try {
      return (value as Record<PropertyKey, unknown>)[key];
    } catch {
      return undefined;
    }
  };
  return [
    ...keys.map(String),
    ...[...keys.map(read), Object.getPrototypeOf(value)].flatMap((it) => reachable(it, seen)),
  ];
}

test('what is looked through here would show a secret', () => {
  const hidden = Object.defineProperty({}, 'hidden', { value: { deep: [{ secret: random }] } });
  expect(everything(hidden)).toContain(random);
  expect(reachable(Object.create(hidden), new Set()).join()).toContain(random);
});

test('the secret is not visible in the client or in its parts', () => {
  const { client } = fakeClient([]);
  for (const value of [client, ...Object.values(client), { ...client }, structuredClone({ ...client.commands })]) {
    expect(everything(value)).not.toContain(random);
  }
});

const failures: [string, Step, string][] = [
  ['a refusal', refusal(401, 'UNAUTHENTICATED', { metadata: { string_to_sign: 'HMAC-SHA256-V1' } }), 'ApiError'],
  ['a failure of the network', networkFailure('ECONNRESET'), 'ConnectionError'],
  ['no connection', networkFailure('ECONNREFUSED', 'connect'), 'ConnectionError'],
  ['an unexpected answer', new Response('?', { status: 502 }), 'ApiError'],
  ['no answer', silence, 'TimeoutError'],
];

test.each(failures)(
  'neither secret nor signature is in the error of %s, nor in what caused it',
  async (_, step, name) => {
    const { client, fetch } = fakeClient([step], { maxRetries: 0, timeoutMs: 50 });
    const error = await client.tenants.create({ tenant_id: 'a', name: 'A' }).catch((error) => error);
    expect(error).toMatchObject({ name });
    expect(everything(error)).toContain('tenants.create');
    expect(everything(error)).not.toContain(random);
    expect(everything(error)).not.toContain(fetch.sent[0]?.headers['X-Api-Signature']);
  },
);

test('nor in what fetch itself makes of a lost connection', async () => {
  const server = await startFaultServer([], cut);
  onTestFinished(() => server.stop());
  const client = new TenantOpenPlatform({ baseUrl: server.url, ...credential, maxRetries: 0 });
  const calls = [client.me.get(), client.commands.createAndWait(reboot, { timeoutSeconds: 0 })];
  for (const error of await Promise.all(calls.map((call) => call.catch((error: unknown) => error)))) {
    expect(error).toMatchObject({ name: 'ConnectionError', cause: { message: 'fetch failed' } });
    expect(everything(error)).not.toMatch(new RegExp(`${random}|v1=[0-9a-f]{64}`));
  }
});

test('nor in the errors of a wait that ends', async () => {
  const { client } = fakeClient([answer(202, { command_id: 'c1' }), silence, silence], {
    timeoutMs: 50,
    maxRetries: 0,
  });
  const timeout = await client.commands.createAndWait(reboot, { timeoutSeconds: 0.01 }).catch((error) => error);
  const aborted = await client.commands.wait('c1', { signal: AbortSignal.abort('x') }).catch((error) => error);
  expect([timeout.name, aborted.name]).toEqual(['WaitTimeoutError', 'WaitAbortedError']);
  expect(everything([timeout, aborted])).not.toMatch(new RegExp(`${random}|v1=[0-9a-f]{64}`));
});

test.each([
  ['with a typo', `${credential.secret.slice(0, -1)}x`],
  ['that was not copied as a whole', credential.secret.slice(0, -2)],
  ['with a line break', `${credential.secret}\n`],
])('nor in the error of a secret %s', (_, secret) => {
  try {
    new TenantOpenPlatform({ baseUrl: 'https://platform.test', clientId: 'c', secret });
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({ name: 'ConfigurationError' });
    expect(everything(error)).not.toContain(random.slice(0, 20));
  }
});

test('logs and hooks get no secrets, signatures or bodies', async () => {
  const seen: unknown[] = [];
  const see = (...what: unknown[]) => void seen.push(what);
  const { client, fetch } = fakeClient(
    [
      refusal(503, 'SERVICE_UNAVAILABLE', {}, { 'Retry-After': '0' }),
      answer(201, { secret: 'osk_new' }),
      refusal(403, 'FORBIDDEN'),
    ],
    {
      logger: { debug: see, warn: see, error: see },
      hooks: { onRequest: see, onResponse: see, onError: see, onRetry: see },
    },
  );
  await client.credentials.create('acme', { client_id: 'c', name: 'in the body' });
  await client.credentials.create('acme', { client_id: 'c', name: 'in the body' }).catch(() => {});
  expect(seen.length).toBeGreaterThanOrEqual(14);
  expect(fetch.sent).toHaveLength(3);
  expect(everything(seen)).not.toMatch(new RegExp(`${random}|osk_new|in the body|v1=[0-9a-f]{64}`));
});
