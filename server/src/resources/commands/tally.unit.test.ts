import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Counted, groupsOf, tallyOf } from './tally.js';

const one: Counted = {
  at: 0,
  value: null,
  is_other: false,
  status: 'SUCCEEDED',
  total: 1,
  classes: [[0]],
  numbers: [[1]],
};

/** As duration_class_v1 of the database. */
const classOf = (milliseconds: number) => Math.ceil(Math.log(Math.max(milliseconds, 1)) / Math.log(1.1));

test('each percentile differs from the exact one by at most 5 %, or by 1 ms', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 400_000 }), { minLength: 1, maxLength: 300 }), (durations) => {
      const inOrder = durations.toSorted((a, b) => a - b);
      const { duration_ms } = tallyOf(durations.map((duration) => ({ ...one, classes: [[classOf(duration)]] })));
      for (const [share, found] of [
        [0.5, duration_ms?.p50],
        [0.95, duration_ms?.p95],
        [0.99, duration_ms?.p99],
      ] as const) {
        const exact = inOrder[Math.ceil(share * durations.length) - 1] as number;
        expect(Math.abs((found as number) - exact)).toBeLessThanOrEqual(Math.max(1, exact * 0.05));
      }
    }),
  );
});

test('points are in the order of time, and their commands are those of the total', () => {
  const counted = [
    { ...one, at: 120_000, total: 3 },
    { ...one, at: 0, status: 'FAILED', total: 2 },
    { ...one, at: 120_000, status: 'TIMED_OUT' },
  ] as const;
  const { total, counts, points } = tallyOf(counted);
  expect({ total, ...counts }).toMatchObject({ total: 6, SUCCEEDED: 3, FAILED: 2, TIMED_OUT: 1, EXPIRED: 0 });
  expect(points.map(({ at, total }) => [at, total])).toEqual([
    ['1970-01-01T00:00:00.000Z', 2],
    ['1970-01-01T00:02:00.000Z', 4],
  ]);
  expect(tallyOf([])).toMatchObject({ total: 0, duration_ms: null, points: [] });
});

test('the 20 largest groups have names; all others, and what has no name, is one group', () => {
  const counted = Array.from({ length: 30 }, (_, index) => ({ ...one, value: `code ${index}`, total: index + 1 }));
  const groups = groupsOf([...counted, { ...one, value: '', total: 500 }, { ...one, value: '', is_other: true }]);
  expect(groups).toHaveLength(21);
  expect(groups.map(({ value, is_other, total }) => [is_other ? 'other' : value, total])).toEqual([
    ['', 500],
    ['other', (11 * 12) / 2 + 1],
    ...Array.from({ length: 19 }, (_, index) => [`code ${29 - index}`, 30 - index]),
  ]);
});
