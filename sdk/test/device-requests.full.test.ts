import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { request, setUp, within } from './serve.js';
import { tenantId } from './start-bus.js';

const replyTo = ({ dedupe_id }: { dedupe_id: string }) => ({
  dedupe_id,
  device_id: 'd-1',
  request_type: 'firmware_check',
  outcome: 'SUCCESS',
  payload: { version: '2.4.1' },
  expires_at: new Date(Date.now() + 600_000).toISOString(),
});

test.concurrent('nobody can know the message id of a device request', async (context) => {
  const { on, serve } = await setUp(context);
  const { adapter } = await serve();
  const asked = request();
  void adapter.request(asked);
  await vi.waitFor(async () => expect(await on.requests()).toEqual([asked]), within);
  const [id = ''] = await on.requestIds();
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(id).not.toContain(asked.dedupe_id);
});

test.concurrent('a request of a device resolves with its reply, for each caller that sent it', async (context) => {
  const { on, serve } = await setUp(context);
  const { adapter } = await serve();
  const asked = request();
  const answers = [adapter.request(asked), adapter.request(asked)];
  await vi.waitFor(async () => expect(await on.requests()).toHaveLength(1), within);
  await on.reply(replyTo(asked));
  for (const answer of answers) expect(await answer).toMatchObject({ payload: { version: '2.4.1' } });
  expect(await on.requests()).toEqual([asked]);
  await on.allAcknowledged('TOP_REPLIES');
});

test.concurrent('a request that nobody replies to in time resolves to null', async (context) => {
  const { serve } = await setUp(context);
  const { adapter } = await serve();
  expect(await adapter.request(request({ expires_in_seconds: 5 }))).toBeNull();
});

test.concurrent('a request is published through a restart of NATS', async (context) => {
  const { on, serve } = await setUp(context);
  const { adapter } = await serve();
  await on.nats.suspend();
  const asked = request();
  const answer = adapter.request(asked);
  await delay(1_000);
  await on.nats.resume();
  await on.answers();
  await vi.waitFor(async () => expect(await on.requests()).toEqual([asked]), within);
  await on.reply(replyTo(asked));
  expect(await answer).toMatchObject({ outcome: 'SUCCESS' });
});

test.concurrent('the reply reaches the process that waits for it', async (context) => {
  const { on, serve } = await setUp(context);
  const { adapter } = await serve();
  const { adapter: other } = await serve();
  const asked = Array.from({ length: 10 }, () => request());
  // The other process reads replies, too.
  void other.request(request());
  const answers = asked.map((one) => adapter.request(one));
  await vi.waitFor(async () => expect(await on.requests()).toHaveLength(11), within);
  for (const one of asked) await on.reply(replyTo(one));
  expect(await Promise.all(answers)).toMatchObject(asked.map(({ dedupe_id }) => ({ dedupe_id })));
});

test.concurrent('onReply gets replies that no request waits for, again if it fails', async (context) => {
  const { on, serve } = await setUp(context);
  const seen: string[] = [];
  await serve(undefined, {
    onReply: async ({ dedupe_id }, { tenant_id }) => {
      seen.push(`${tenant_id} ${dedupe_id}`);
      if (seen.length === 1) throw new Error('The device is asleep.');
    },
  });
  const asked = request();
  await on.reply(replyTo(asked));
  await on.reply({ ...replyTo(request()), expires_at: new Date(Date.now() - 1).toISOString() });
  await on.allAcknowledged('TOP_REPLIES');
  expect(seen).toEqual([`${tenantId} ${asked.dedupe_id}`, `${tenantId} ${asked.dedupe_id}`]);
});

test.concurrent('two devices with one dedupe_id each get their own reply', async (context) => {
  const { on, serve } = await setUp(context);
  const { adapter } = await serve();
  const asked = ['cp-A', 'cp-B'].map((device_id) => request({ device_id, dedupe_id: 'm1' }));
  const answers = asked.map((one) => adapter.request(one));
  await vi.waitFor(async () => expect(await on.requests()).toHaveLength(2), within);
  for (const { device_id } of asked.toReversed()) await on.reply({ ...replyTo({ dedupe_id: 'm1' }), device_id });
  expect(await Promise.all(answers)).toMatchObject([{ device_id: 'cp-A' }, { device_id: 'cp-B' }]);
});

test.concurrent('stop ends the waiting requests', async (context) => {
  const { on, serve } = await setUp(context);
  const { adapter } = await serve();
  const answer = adapter.request(request());
  await vi.waitFor(async () => expect(await on.requests()).toHaveLength(1), within);
  await adapter.stop();
  expect(await answer).toBeNull();
  await expect(adapter.request(request())).rejects.toThrow('stopped');
});

test.concurrent.for<[string, object]>([
  ['dedupe_id', { dedupe_id: 'with space' }],
  ['expires_in_seconds', { expires_in_seconds: 1 }],
  ['payload', { payload: { log: '.'.repeat(33_000) } }],
])('a request that the platform would park is refused at once: %s', async ([field, wrong], context) => {
  const { serve } = await setUp(context);
  const { adapter } = await serve();
  await expect(adapter.request(request(wrong))).rejects.toThrow(field);
});
