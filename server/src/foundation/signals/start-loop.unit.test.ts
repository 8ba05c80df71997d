import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { silent } from '../../../test/support/silent.js';
import { localSignals, type Progress, startLoop } from './signals.js';

const soon = { timeout: 60_000, interval: 5 };
const AN_HOUR_MS = 3_600_000;

/** Starts a loop whose rounds these functions are. The rounds after them have nothing to do. */
function startRounds(...rounds: ((signal: () => void) => Promise<Progress>)[]) {
  const signals = localSignals();
  let done = 0;
  const loop = startLoop(AN_HOUR_MS, { name: 'test', signals, topics: ['work'], ...silent() }, async () => {
    const round = rounds[done++];
    return round ? round(() => signals.send(['work'])) : 'WAIT';
  });
  onTestFinished(() => loop.stop());
  return () => done;
}

test.each(['AGAIN', 'WAIT', 'QUIET'] as const)(
  'a signal during a round that returns %s leads to one more round',
  async (progress) => {
    const rounds = startRounds(
      async (signal) => {
        signal();
        return progress;
      },
      async () => 'WAIT',
    );
    // After AGAIN, the second round may be past the part that the signal is about.
    const wanted = progress === 'AGAIN' ? 3 : 2;
    await vi.waitFor(() => expect(rounds()).toBeGreaterThanOrEqual(wanted), soon);
    // A loop that never rests would make ten more rounds.
    await delay(200);
    expect(rounds()).toBe(wanted);
  },
);

test('a signal ends the rest of an idle loop at once, and a hanging round after it is noticed', async () => {
  const signals = localSignals({ mayGetLost: false });
  const { watchdog, ...others } = silent();
  let rounds = 0;
  let finish = () => {};
  const loop = startLoop(
    500,
    { name: 'test', signals, topics: ['work'], isVital: true, ...others, watchdog },
    async () => {
      if (++rounds === 2) await new Promise<void>((resolve) => (finish = resolve));
      return 'QUIET';
    },
  );
  onTestFinished(() => loop.stop());
  await delay(1_000);
  expect(rounds).toBe(1);
  signals.send(['work']);
  await vi.waitFor(() => expect(rounds).toBe(2), soon);
  await vi.waitFor(() => expect(watchdog.secondsSinceLastRound()[0]?.[1]).toBeGreaterThan(0.1), soon);
  finish();
});

test('a loop rests for the milliseconds that a round returns', async () => {
  const rounds = startRounds(
    async () => 50,
    async () => 'WAIT',
  );
  await vi.waitFor(() => expect(rounds()).toBe(2), soon);
});

test('a failed round is repeated without a signal', async () => {
  const rounds = startRounds(async () => {
    throw new Error('The database is gone.');
  });
  await vi.waitFor(() => expect(rounds()).toBe(2), soon);
});
