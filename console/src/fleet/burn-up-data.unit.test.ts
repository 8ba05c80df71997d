import { expect, test } from 'vitest';
import { burnUpOf } from './burn-up-data';

const at = (second: number) => new Date(1_000_000 + second * 1_000).toISOString();

test('commands are counted when they were accepted, ended and succeeded', () => {
  const commands = [
    { accepted_at: at(0), completed_at: at(3), status: 'FAILED' },
    { accepted_at: at(0), completed_at: at(2), status: 'SUCCEEDED' },
    { accepted_at: at(1), completed_at: null, status: 'DISPATCHED' },
  ];
  const [times, ...counts] = burnUpOf(commands);
  expect(times).toEqual([999_999, 1_000_000, 1_001_000, 1_002_000, 1_003_000]);
  expect(counts).toEqual([
    [0, 2, 3, 3, 3],
    [0, 0, 0, 1, 2],
    [0, 0, 0, 1, 1],
  ]);
  expect(burnUpOf([])).toEqual([[], [], [], []]);
});
