import { setTimeout as delay } from 'node:timers/promises';
import { createTenant, type Profile } from '@tenant-open-platform/testing';
import { startObjectStore } from '@tenant-open-platform/testing/start-object-store';
import { afterAll, test } from 'vitest';
import { TenantOpenPlatform } from '../src/index.js';
import { startProxy } from './start-proxy.js';

/** Longer than the retries of a call survive: they take at most 1.5 seconds. */
const OUTAGE_MS = 10_000;
const within = { timeout: 60_000 };
const reboot = { vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {} };

const proxies: Awaited<ReturnType<typeof startProxy>>[] = [];

afterAll(() => {
  for (const proxy of proxies) proxy.stop();
});

/** A client behind a proxy, and one that reaches the platform directly. */
async function connect({ base_url, client_id, secret }: Profile, options: object = {}) {
  const proxy = await startProxy(base_url);
  proxies.push(proxy);
  const clientOf = (baseUrl: string) => new TenantOpenPlatform({ baseUrl, clientId: client_id, secret, ...options });
  return { proxy, client: clientOf(proxy.url), direct: clientOf(base_url) };
}

/**
 * Closes the proxy for OUTAGE_MS, or longer: until it has refused so many connections. A machine that stalls may need
 * more time for them.
 */
async function closeForAWhile(proxy: Awaited<ReturnType<typeof startProxy>>, refusals = 0) {
  proxy.close();
  await delay(OUTAGE_MS);
  while (proxy.refused() < refusals) await delay(50);
  proxy.open();
}

test.concurrent('createAndWait survives it: one command, and its outcome', async ({ expect }) => {
  const { operator } = await createTenant();
  const { proxy, client, direct } = await connect(operator);
  const outages: Promise<void>[] = [];
  const onUpdate = () => {
    if (outages.length === 0) outages.push(closeForAWhile(proxy, 4));
  };
  // It succeeds after the outage has begun.
  const slow = { ...reboot, device_id: 'slow-1' };
  expect(await client.commands.createAndWait(slow, { onUpdate })).toMatchObject({ status: 'SUCCEEDED' });
  await Promise.all(outages);
  expect(await direct.commands.list().toArray()).toHaveLength(1);
});

test.concurrent('createAndWait in shared requests survives it: each command once, and its outcome', async ({
  expect,
}) => {
  const { operator } = await createTenant();
  const { proxy, client, direct } = await connect(operator, { batch: { withinMs: 50 } });
  const outage = closeForAWhile(proxy, 4);
  const sent = Array.from({ length: 40 }, () => client.commands.createAndWait(reboot));
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array(40).fill('SUCCEEDED'));
  await outage;
  expect(await direct.commands.list().toArray()).toHaveLength(40);
});

test.concurrent('events.follow survives it: each event once, in order, and without a hot loop', async ({ expect }) => {
  const { operator } = await createTenant();
  const { proxy, client, direct } = await connect(operator);
  const stopping = new AbortController();
  const seen: string[] = [];
  let savedCursor = '';
  const following = (async () => {
    for await (const event of client.events.follow({ from: 'now', signal: stopping.signal })) {
      seen.push(`${event.event_type} ${event.data.command_id}`);
      savedCursor = event.cursor;
    }
  })();
  const ended = expect(following).rejects.toBe('done');
  const made: string[] = [];
  const send = async () => made.push((await direct.commands.createAndWait(reboot)).command_id);
  await expect.poll(() => proxy.requests(), within).toBeGreaterThanOrEqual(2);
  await send();
  await expect.poll(() => seen.length, within).toBe(2);
  const outage = closeForAWhile(proxy);
  for (let n = 0; n < 3; n += 1) await send();
  await outage;
  await expect.poll(() => seen.length, within).toBe(8);
  await send();
  await expect.poll(() => seen.length, within).toBe(10);
  expect(seen).toEqual(made.flatMap((id) => [`command.accepted ${id}`, `command.completed ${id}`]));
  expect(proxy.refused()).toBeLessThan(60);

  stopping.abort('done');
  await ended;
  await send();
  for await (const event of client.events.follow({ from: savedCursor })) {
    expect(event).toMatchObject({ event_type: 'command.accepted', data: { command_id: made.at(-1) } });
    break;
  }
});

test.concurrent('deviceRequests.follow survives it: each request once, oldest first', async ({ expect }) => {
  const { operator } = await createTenant();
  const { proxy, client, direct } = await connect(operator);
  const made = Array.from({ length: 4 }, () => `ok-${crypto.randomUUID()}`);
  /** Resolves when the device's request is stored: it follows its command by a moment. */
  const ask = async (device_id = '') => {
    await direct.commands.createAndWait({ ...reboot, device_id });
    await direct.deviceRequests.list({ device_id, wait_seconds: 30 });
  };
  const seen: string[] = [];
  await ask(made[0]);
  const following = (async () => {
    for await (const request of client.deviceRequests.follow()) if (seen.push(request.device_id) === made.length) break;
  })();
  await expect.poll(() => seen.length, within).toBe(1);
  const outage = closeForAWhile(proxy);
  await ask(made[1]);
  await ask(made[2]);
  await outage;
  await ask(made[3]);
  await following;
  expect(seen).toEqual(made);
});

test.concurrent('an upload survives it', async ({ expect, onTestFinished }) => {
  const [store, { admin, operator }] = await Promise.all([startObjectStore(), createTenant()]);
  onTestFinished(() => store.stop());
  const { direct } = await connect(admin);
  const { proxy, client } = await connect(operator);
  const { endpoint, bucket, access_key_id, secret_access_key } = store;
  const access = { access_key_id, secret_access_key, force_path_style: true };
  const { credential_id } = await direct.objectCredentials.create({
    name: 'Store',
    endpoint,
    region: 'us-east-1',
    ...access,
  });
  const { resource_id } = await direct.objectResources.create({
    name: 'Files',
    credential_id,
    bucket,
    allowed_operations: ['UPLOAD', 'DOWNLOAD'],
    max_object_bytes: 1_000,
  });
  const outage = closeForAWhile(proxy, 4);
  const uploaded = await client.objects.upload(resource_id, 'a.bin', 'content', { contentType: 'text/plain' });
  await outage;
  expect(uploaded).toMatchObject({ content_length: 7 });
  expect(await (await client.objects.download(resource_id, 'a.bin')).text()).toBe('content');
});
