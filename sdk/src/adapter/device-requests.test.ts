import { expect, onTestFinished, test, vi } from 'vitest';
import { DeviceConnections } from './device-connections.js';
import { DeviceRequests } from './device-requests.js';
import { Unreachable } from './errors.js';
import type { AdapterLog } from './events.js';
import { Pulse } from './pulse.js';
import type { ReplyDelivery, ReplyHandler } from './reply-runner.js';

function start(onReply?: ReplyHandler, options: { concurrency?: number; onePerDevice?: boolean } = {}) {
  const readReplies = vi.fn();
  const log = vi.fn<AdapterLog>();
  const publish = async () => {};
  const own = { concurrency: 4_096, onePerDevice: false, isShared: false, ...options };
  const pulse = new Pulse(log);
  onTestFinished(() => pulse.stop());
  const requests = new DeviceRequests({ onReply, readReplies, log, pulse, publish, ...own });
  const logged = (event: string) => log.mock.calls.map(([one]) => one).filter((one) => one.event === event);
  return { requests, readReplies, logged };
}

const request = { device_id: 'd', request_type: 'firmware_check', payload: {}, dedupe_id: 'd-1' };

const deliveryOf = (dedupe_id: string, attempt = 1, { device_id = 'd', leftMs = 300_000 } = {}) => ({
  tenantId: 't',
  reply: {
    ...request,
    device_id,
    device_request_id: 'r',
    dedupe_id,
    outcome: 'SUCCESS' as const,
    error: null,
    replied_at: new Date().toISOString(),
    expires_at: new Date().toISOString(),
    remaining_ms: 0,
  },
  leftMs,
  attempt,
  acknowledge: vi.fn<ReplyDelivery['acknowledge']>(),
  stillWorking: vi.fn<ReplyDelivery['stillWorking']>(),
  retry: vi.fn<ReplyDelivery['retry']>(),
});

function stopTimers(): void {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

/** A handler of replies that runs until the test lets it end. */
function gate() {
  let end = () => {};
  const opened = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { onReply: vi.fn<ReplyHandler>(() => opened), end };
}

test.each<[string, Record<string, unknown>]>([
  ['NUL', { text: '\0' }],
  ['a lone surrogate', { text: '\ud83d' }],
  ['not an object', new Date() as never],
])('a request whose payload is %s is refused: the platform would park it', async (problem, payload) => {
  const { requests, readReplies } = start();
  const sent = requests.send('t', { ...request, payload });
  await expect(sent).rejects.toThrow(TypeError);
  await expect(sent).rejects.toThrow(problem);
  expect(readReplies).not.toHaveBeenCalled();
});

test('a request starts the reader of replies, but not after the stop', async () => {
  const { requests, readReplies } = start();
  const sent = requests.send('t', request);
  expect(readReplies).toHaveBeenCalledTimes(1);
  await requests.stop();
  expect(await sent).toBeNull();
  await expect(requests.send('t', request)).rejects.toThrow('The adapter was stopped.');
  expect(readReplies).toHaveBeenCalledTimes(1);
});

test('a reply that is delivered again while its handler runs does not start it twice, and NATS learns that it runs', async () => {
  stopTimers();
  const { onReply, end } = gate();
  const { requests } = start(onReply);
  const [first, second] = [deliveryOf('d-1'), deliveryOf('d-1', 2)];
  requests.take(first);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(first.stillWorking).toHaveBeenCalledTimes(15);
  requests.take(second);
  end();
  await requests.stop();
  expect(onReply).toHaveBeenCalledTimes(1);
  expect(first.acknowledge).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(first.stillWorking).toHaveBeenCalledTimes(15);
});

/** Waits for devices that begin with `away` until the signal ends the wait. */
const orAway: ReplyHandler = ({ device_id }, { signal }) =>
  new Promise((resolve, reject) => {
    if (!device_id.startsWith('away')) resolve();
    signal.addEventListener('abort', () => reject(signal.reason));
  });

test('handlers that wait for their devices keep no reply from another device, and the log says once that all places are taken', async () => {
  const { requests, logged } = start(orAway, { concurrency: 16 });
  onTestFinished(() => void requests.stop());
  const away = Array.from({ length: 30 }, (_, n) => deliveryOf(`away-${n}`, 1, { device_id: 'away' }));
  for (const one of away) requests.take(one);
  const here = Array.from({ length: 20 }, (_, n) => deliveryOf(`here-${n}`, 1, { device_id: `here-${n}` }));
  for (const one of here) requests.take(one);
  for (const one of here) await vi.waitFor(() => expect(one.acknowledge).toHaveBeenCalledTimes(1));
  for (let n = 0; n < 30; n += 1) requests.take(deliveryOf(`away-too-${n}`, 1, { device_id: `away-${n}` }));
  expect(logged('busy')).toMatchObject([{ level: 'warn', tenant_id: 't', device_id: 'away' }]);
});

test('a reply that a request awaits needs no place', async () => {
  const { requests } = start(orAway, { concurrency: 1 });
  onTestFinished(() => void requests.stop());
  for (let n = 0; n < 5_000; n += 1) requests.take(deliveryOf(`away-${n}`, 1, { device_id: `away-${n}` }));
  const room = requests.room();
  const own = requests.send('t', { ...request, dedupe_id: 'own' });
  expect(await room).toBe(1);
  requests.take(deliveryOf('own'));
  expect(await own).toMatchObject({ dedupe_id: 'own' });
});

test('two devices with one dedupe_id each get their own reply; one device with another content throws', async () => {
  const { requests } = start();
  const [a, b] = ['cp-A', 'cp-B'].map((device_id) => requests.send('t', { ...request, device_id, dedupe_id: 'm1' }));
  await expect(
    requests.send('t', { ...request, device_id: 'cp-A', dedupe_id: 'm1', payload: { tag: 'another' } }),
  ).rejects.toThrow('another request with this dedupe_id');
  const again = requests.send('t', { ...request, device_id: 'cp-A', dedupe_id: 'm1' });
  for (const device_id of ['cp-B', 'cp-A']) requests.take(deliveryOf('m1', 1, { device_id }));
  expect(await Promise.all([a, b, again])).toMatchObject([
    { device_id: 'cp-A' },
    { device_id: 'cp-B' },
    { device_id: 'cp-A' },
  ]);
});

test('onePerDevice: a device gets its replies one after the other, in order; others do not wait', async () => {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const onReply: ReplyHandler = ({ dedupe_id }) =>
    new Promise((resolve) => {
      begun.push(dedupe_id);
      ends.set(dedupe_id, resolve);
    });
  const { requests } = start(onReply, { onePerDevice: true });
  for (const id of ['1', '2', '3']) requests.take(deliveryOf(id));
  requests.take(deliveryOf('of another', 1, { device_id: 'e' }));
  for (const id of ['1', 'of another', '2', '3']) {
    await vi.waitFor(() => expect(begun).toContain(id));
    if (id === '1') expect(begun).toEqual(['1', 'of another']);
    ends.get(id)?.();
  }
  expect(begun).toEqual(['1', 'of another', '2', '3']);
});

test('onReply learns when the request expires: its signal is aborted, and one that goes on loses its place', async () => {
  stopTimers();
  const seen: number[] = [];
  const hangs = vi.fn<ReplyHandler>((_, { signal, remainingMs }) => {
    seen.push(remainingMs);
    signal.addEventListener('abort', () => seen.push(-1));
    return new Promise(() => {});
  });
  const { requests, logged } = start(hangs, { onePerDevice: true });
  const [first, second] = [deliveryOf('d-1', 1, { leftMs: 20_000 }), deliveryOf('d-2')];
  requests.take(first);
  requests.take(second);
  await vi.advanceTimersByTimeAsync(19_999);
  expect(seen).toEqual([20_000]);
  await vi.advanceTimersByTimeAsync(1);
  expect(seen).toEqual([20_000, -1]);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(first.acknowledge).toHaveBeenCalledTimes(1);
  expect(hangs).toHaveBeenCalledTimes(2);
  expect(logged('overdue')).toMatchObject([{ level: 'warn', dedupe_id: 'd-1' }]);
});

test('a device that cannot be reached is no error; its reply comes again later and later, and once more before the request expires', async () => {
  const error = new Error('The table is locked.');
  for (const [thrown, level] of [[new Unreachable(), 'debug'] as const, [error, 'error'] as const]) {
    const { requests, logged } = start(() => Promise.reject(thrown));
    const waits: number[] = [];
    for (let [attempt, leftMs] = [1, 600_000]; leftMs > 0; attempt += 1) {
      const delivery = deliveryOf('d-1', attempt, { leftMs });
      requests.take(delivery);
      await vi.waitFor(() => expect(delivery.retry).toHaveBeenCalledTimes(1));
      const [waitMs = 0] = delivery.retry.mock.calls[0] ?? [];
      waits.push(Math.round(waitMs / 1_000));
      leftMs -= waitMs;
    }
    expect(waits.slice(0, 6)).toEqual([5, 10, 20, 40, 80, 160]);
    expect(waits.length).toBeLessThan(20);
    expect(waits.at(-1)).toBe(1);
    expect(new Set(logged('failed').map((event) => event.level))).toEqual(new Set([level]));
  }
});

test('a stop gives back at once what waits, here or for its device, begins nothing, and waits for the handlers that run', async () => {
  const online = new DeviceConnections<true>();
  const { onReply, end } = gate();
  const { requests } = start(
    async (reply, context) => {
      if (reply.device_id === 'away') await online.waitFor('away', context);
      else await onReply(reply, context);
    },
    { onePerDevice: true },
  );
  const [running, behind, away] = [deliveryOf('1'), deliveryOf('2'), deliveryOf('3', 1, { device_id: 'away' })];
  for (const one of [running, behind, away]) requests.take(one);
  await vi.waitFor(() => expect(onReply).toHaveBeenCalledTimes(1));
  const stopped = requests.stop();
  await vi.waitFor(() => expect(away.retry).toHaveBeenCalledTimes(1));
  expect(behind.retry).toHaveBeenCalledTimes(1);
  const late = deliveryOf('late');
  requests.take(late);
  expect(late.retry).toHaveBeenCalledTimes(1);
  end();
  await stopped;
  expect(onReply).toHaveBeenCalledTimes(1);
  expect(running.acknowledge).toHaveBeenCalledTimes(1);
});

test('a stop aborts the signal of handlers that go on, gives their replies back, and names those that ignore it', async () => {
  stopTimers();
  const { requests, logged } = start((reply, context) =>
    reply.device_id === 'hangs' ? new Promise(() => {}) : orAway(reply, context),
  );
  const [away, hangs] = ['away', 'hangs'].map((device_id) =>
    deliveryOf(device_id, 1, { device_id, leftMs: 3_600_000 }),
  );
  for (const one of [away, hangs]) if (one) requests.take(one);
  const stopped = requests.stop();
  await vi.advanceTimersByTimeAsync(7_000);
  await stopped;
  expect(away?.retry).toHaveBeenCalledTimes(1);
  expect(logged('overdue')).toMatchObject([{ message: expect.stringMatching(/without 1 handlers .* hangs /) }]);
});
