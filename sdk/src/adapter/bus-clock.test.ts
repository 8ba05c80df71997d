import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { BusClock, instantOf } from './bus-clock.js';
import type { AdapterEvent } from './events.js';

/** The clock of NATS. The one of this machine differs. */
const NATS = Date.parse('2026-01-31T09:30:00.000Z');

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

function start(aheadMs: number) {
  vi.setSystemTime(NATS + aheadMs);
  const events: AdapterEvent[] = [];
  const clock = new BusClock((event) => void events.push(event));
  const ask = async (rttMs = 10) => {
    const from = performance.now();
    await vi.advanceTimersByTimeAsync(rttMs / 2);
    const busMs = Date.now() - aheadMs;
    await vi.advanceTimersByTimeAsync(rttMs / 2);
    clock.learn(busMs, from);
  };
  return { clock, events, ask };
}

test.each<[string, number, string]>([
  ['an hour ahead', 3_600_000, '3,600 s ahead of that of NATS'],
  ['an hour behind', -3_600_000, '3,600 s behind that of NATS'],
])('a clock that is %s changes nothing about the time that is left, and is named once', async (_, aheadMs, text) => {
  const { clock, events, ask } = start(aheadMs);
  expect(clock.isKnown).toBe(false);
  await ask();
  await ask();
  expect(Math.abs(clock.leftOf(29_900, new Date(NATS)) - 29_880)).toBeLessThan(10);
  expect(events).toMatchObject([{ level: 'warn', event: 'clock-differs', message: expect.stringContaining(text) }]);
});

test('a clock that is right is not named', async () => {
  const { events, ask } = start(2_000);
  await ask();
  expect(events).toEqual([]);
});

test('each answer narrows what is known; one that took long changes nothing', async () => {
  const { clock, ask } = start(0);
  await ask(2);
  await ask(2_000);
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(3);
});

test('follows the clock of NATS when that is set', async () => {
  const { clock, ask } = start(0);
  await ask();
  vi.setSystemTime(Date.now() + 60_000);
  await ask();
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(12);
});

test('what NATS stored in the millisecond of a moment counts as stored before it', async () => {
  const { clock } = start(0);
  clock.learn(instantOf('2026-01-31T09:30:00.000750123Z'), 10, 20);
  expect(clock.latestAt(10)).toBe(NATS);
});
