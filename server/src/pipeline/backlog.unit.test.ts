import { expect, test } from 'vitest';
import { measurePace, type PacedQueue, secondsOf } from './backlog.js';

/** The last wait of `acme` after these seconds, in which its oldest row moved on by these positions a second. */
function waitAfter(seconds: number, { pace, waiting }: { pace: number; waiting: (second: number) => number }): number {
  let paced: Map<string, PacedQueue> = new Map();
  for (let at = 0; at <= seconds; at += 0.5) {
    const first = 1_000 + pace * at;
    paced = measurePace(paced, new Map([['acme', { first, last: first + waiting(at) }]]), 0.5);
  }
  return secondsOf(paced.get('acme') as PacedQueue);
}

test('the newest row waits for the rows before it, at the pace of the oldest row', () => {
  expect(waitAfter(20, { pace: 500, waiting: () => 10_000 })).toBeCloseTo(20, 0);
  expect(waitAfter(20, { pace: 4_000, waiting: () => 10_000 })).toBeCloseTo(2.5, 1);
});

test('until the pace is measured, it counts as 1,000 a second', () => {
  expect(waitAfter(0, { pace: 0, waiting: () => 100_000 })).toBe(100);
});

test('while a queue grows, the estimate is that of the newest row, not the age of the oldest', () => {
  // Three times as many rows arrive as leave: after 10 seconds the newest one waits 20 seconds.
  expect(waitAfter(10, { pace: 1_000, waiting: (second) => 2_000 * second })).toBeCloseTo(20, 0);
});

test('a queue that does not move is soon known to wait long', () => {
  expect(waitAfter(3, { pace: 0, waiting: () => 5_000 })).toBeGreaterThan(10);
});

test('a tenant without rows is forgotten', () => {
  const before = new Map([['acme', { first: 1, last: 9_000, pace: 1, readings: 1 }]]);
  expect(measurePace(before, new Map(), 0.5)).toEqual(new Map());
});
