import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TenantOpenPlatform } from './index.js';
import { connectionLost, refusal, silence, TestPlatform } from './testing.js';

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
    .on('commands.get', { command_id: 'c1', status: 'SUCCEEDED', completed_at: '2026-01-31T09:30:03.535Z' });
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
  const { platform, client } = start({ timeoutMs: 50 });
  platform.on('me.get', connectionLost(), refusal(503, 'SERVICE_UNAVAILABLE'), { client_id: 'test-client' });
  expect(await client.me.get()).toMatchObject({ client_id: 'test-client' });
  platform.on('me.get', refusal(403, 'FORBIDDEN', { metadata: { required_scope: 'a:b' } }), silence());
  await expect(client.me.get()).rejects.toMatchObject({ code: 'FORBIDDEN', metadata: { required_scope: 'a:b' } });
  await expect(client.me.get({ maxRetries: 0 })).rejects.toMatchObject({ name: 'TimeoutError' });
  platform.assertDone();
});

test('an unexpected call fails, and so does an unused answer', async () => {
  const { platform, client } = start();
  platform.on('me.get', {});
  await expect(client.catalog.get()).rejects.toMatchObject({ code: 'UNEXPECTED_CALL', attempts: 1 });
  expect(() => platform.assertDone()).toThrow(
    'Unexpected: catalog.get (GET /api/v1/open/catalog). Not called: me.get, 1 answers are left.',
  );
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
