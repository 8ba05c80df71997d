import { expect, test } from 'vitest';
import { timesSlower } from './hours';

test.each([
  [26_000, 514, 51],
  [3_000, 1_000, 3],
  [2_999, 1_000, null],
  [999, 1, null],
  [1_000, 0, 1_000],
])('an hour with a median of %i ms on a day with %i ms is %s times as slow', (latest, day, times) => {
  expect(timesSlower(latest, day)).toBe(times);
});
