import { expect, test } from 'vitest';
import { waitsOf } from './waits.js';

const waits = (waiting: Record<string, number>, rowsPerSecond = 100) =>
  waitsOf(new Map(Object.entries(waiting)), rowsPerSecond);

test('a single tenant waits for its own rows', () => {
  expect(waits({ flood: 10_000 })).toEqual({ flood: 100 });
});

test("a flood slows its own tenant: other tenants wait for their share of the turns, not for the flood's rows", () => {
  expect(waits({ flood: 10_000, small: 100, tiny: 10 })).toEqual({ flood: 101.1, small: 2.1, tiny: 0.3 });
});

test('equal tenants wait equally long, and a very short wait counts as none', () => {
  expect(waits({ one: 1_000, other: 1_000 })).toEqual({ one: 20, other: 20 });
  expect(waits({ one: 20 })).toEqual({});
});
