import type { JetStreamManager } from '@nats-io/jetstream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silent } from '../../../test/support/silent.js';
import { watchDelivery } from './watch-delivery.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type State = {
  pending: number;
  waiting: number;
  delivered: number;
  unacknowledged: number;
  first: number;
  messages: number;
  isAway?: boolean;
};

/** A durable in this state, as NATS describes it. */
function watched(state: State) {
  const deleted = vi.fn(async () => true);
  const manager = {
    consumers: {
      async info() {
        if (state.isAway) throw new Error('timeout');
        return {
          num_pending: state.pending,
          num_waiting: state.waiting,
          delivered: { consumer_seq: state.delivered },
          num_ack_pending: state.unacknowledged,
        };
      },
      delete: deleted,
    },
    streams: {
      getMessage: async () => (state.first > 0 ? { seq: state.first } : null),
      info: async () => ({ state: { subjects: { one: 1, others: state.messages - 1 } } }),
    },
  } as unknown as JetStreamManager;
  const durable = { stream: 'TOP_UPDATES', durable: 'platform-command-updates' } as const;
  return { deleted, watch: watchDelivery(manager, silent().logger, durable) };
}

const STALLED: State = { pending: 397, waiting: 2, delivered: 7, unacknowledged: 0, first: 5, messages: 397 };

test('a durable that delivers nothing although messages and a reader wait is made anew within five seconds', async () => {
  const { deleted, watch } = watched({ ...STALLED });
  await vi.advanceTimersByTimeAsync(2_500);
  expect([deleted.mock.calls.length, watch.problem()]).toEqual([0, null]);
  await vi.advanceTimersByTimeAsync(2_500);
  expect(deleted).toHaveBeenCalledOnce();
  expect(watch.problem()).toMatch(/delivers none of 397 messages/);
  watch.stop();
});

test.each([
  ['nothing waits', { pending: 0, messages: 0, first: 0 }],
  ['no reader asks', { waiting: 0 }],
])('while %s it stays', async (_why, other) => {
  const { deleted, watch } = watched({ ...STALLED, ...other });
  await vi.advanceTimersByTimeAsync(60_000);
  expect([deleted.mock.calls.length, watch.problem()]).toEqual([0, null]);
  watch.stop();
});

test('while messages are delivered it stays, however many wait', async () => {
  const state = { ...STALLED };
  const { deleted, watch } = watched(state);
  for (let second = 0; second < 60; second++) {
    state.delivered++;
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect([deleted.mock.calls.length, watch.problem()]).toEqual([0, null]);
  watch.stop();
});

test('after an outage of NATS the durable has three seconds again', async () => {
  const state: State = { ...STALLED };
  const { deleted, watch } = watched(state);
  await vi.advanceTimersByTimeAsync(1_500);
  state.isAway = true;
  await vi.advanceTimersByTimeAsync(30_000);
  state.isAway = false;
  await vi.advanceTimersByTimeAsync(2_500);
  expect([deleted.mock.calls.length, watch.problem()]).toEqual([0, null]);
  watch.stop();
});

/** Seen on nats-server 2.9 after a kill -9. */
const LEFT: State = { pending: 0, waiting: 1, delivered: 9_676, unacknowledged: 2, first: 906, messages: 3_326 };

test('messages that NATS counts neither as waiting nor as delivered are delivered again', async () => {
  const state = { ...LEFT };
  const { deleted, watch } = watched(state);
  await vi.advanceTimersByTimeAsync(9_000);
  expect(deleted).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(deleted).toHaveBeenCalledOnce();
  expect(watch.problem()).toMatch(/keeps 3326 messages of TOP_UPDATES, from 906 on/);
  state.first = 0;
  await vi.advanceTimersByTimeAsync(30_000);
  expect([deleted.mock.calls.length, watch.problem()]).toEqual([1, null]);
  watch.stop();
});

test('messages that are in progress for long, as during an outage of Postgres, stay in progress', async () => {
  const { deleted, watch } = watched({ ...LEFT, messages: 300, unacknowledged: 256, pending: 44, waiting: 0 });
  await vi.advanceTimersByTimeAsync(60_000);
  expect([deleted.mock.calls.length, watch.problem()]).toEqual([0, null]);
  watch.stop();
});
