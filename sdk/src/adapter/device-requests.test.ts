import { expect, onTestFinished, test, vi } from 'vitest';
import { DeviceRequests, type ReplyDelivery, type ReplyHandler } from './device-requests.js';

function start(onReply?: ReplyHandler) {
  const readReplies = vi.fn();
  const requests = new DeviceRequests({ onReply, readReplies, log: () => {}, publish: async () => {} });
  return { requests, readReplies };
}

const request = { device_id: 'd', request_type: 'firmware_check', payload: {}, dedupe_id: 'd-1' };

const deliveryOf = (dedupe_id: string, attempt = 1) => ({
  tenantId: 't',
  reply: {
    ...request,
    device_request_id: 'r',
    dedupe_id,
    outcome: 'SUCCESS' as const,
    error: null,
    replied_at: new Date().toISOString(),
    expires_at: new Date(Date.now() + 300_000).toISOString(),
  },
  attempt,
  acknowledge: vi.fn<ReplyDelivery['acknowledge']>(),
  stillWorking: vi.fn<ReplyDelivery['stillWorking']>(),
  retry: vi.fn<ReplyDelivery['retry']>(),
});

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
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { onReply, end } = gate();
  const { requests } = start(onReply);
  const [first, second] = [deliveryOf('d-1'), deliveryOf('d-1', 2)];
  requests.take(first);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(first.stillWorking).toHaveBeenCalledTimes(3);
  requests.take(second);
  end();
  await requests.stop();
  expect(onReply).toHaveBeenCalledTimes(1);
  expect(first.acknowledge).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(first.stillWorking).toHaveBeenCalledTimes(3);
});

test('a stop waits for the handlers of replies, does not wait for a place, and begins none', async () => {
  const { onReply, end } = gate();
  const { requests } = start(onReply);
  for (let n = 0; n < 16; n += 1) requests.take(deliveryOf(`d-${n}`));
  const room = requests.room();
  const stopped = requests.stop();
  expect(await room).toBe(0);
  const late = deliveryOf('late');
  requests.take(late);
  expect(late.retry).toHaveBeenCalledWith(100);
  expect(onReply).toHaveBeenCalledTimes(16);
  end();
  await stopped;
});
