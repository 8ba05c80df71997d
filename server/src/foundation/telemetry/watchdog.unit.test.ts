import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createWatchdog } from './watchdog.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
});

const pass = (seconds: number) => vi.advanceTimersByTime(seconds * 1000);

test('names a vital loop without a round for 10 seconds beyond its interval, until it completes one', () => {
  const watchdog = createWatchdog();
  const roundDone = watchdog.watchRounds('relay', { everyMs: 500, isVital: true });
  watchdog.watchRounds('purge', { everyMs: 500, isVital: false });
  pass(10);
  expect(watchdog.stuckReason()).toBeNull();
  pass(2);
  expect(watchdog.stuckReason()).toBe('relay: no round for 12 seconds');
  roundDone();
  expect(watchdog.stuckReason()).toBeNull();
  expect(watchdog.secondsSinceLastRound()).toEqual([
    ['relay', 0],
    ['purge', 12],
  ]);
});

test('a loop is not stuck while it rests for longer than its interval, but is 10 seconds after the rest', () => {
  const watchdog = createWatchdog();
  const roundDone = watchdog.watchRounds('relay', { everyMs: 500, isVital: true });
  roundDone(60_000);
  pass(60);
  expect(watchdog.stuckReason()).toBeNull();
  expect(watchdog.secondsSinceLastRound()).toEqual([['relay', 0]]);
  pass(11);
  expect(watchdog.stuckReason()).toBe('relay: no round for 11 seconds');
});

test('a handler is stuck if it has messages and finishes none for 10 seconds', async () => {
  const watchdog = createWatchdog();
  const finish: (() => void)[] = [];
  const handle = watchdog.watchHandler('updates', () => new Promise<void>((resolve) => finish.push(resolve)));
  pass(60);
  expect(watchdog.stuckReason()).toBeNull();
  const handled = [handle('a'), handle('b')];
  pass(9);
  finish.shift()?.();
  await handled[0];
  pass(9);
  expect(watchdog.stuckReason()).toBeNull();
  pass(2);
  expect(watchdog.stuckReason()).toBe('updates: no round for 11 seconds');
  finish.shift()?.();
  await handled[1];
  pass(60);
  expect(watchdog.stuckReason()).toBeNull();
});
