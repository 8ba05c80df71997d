import { expect, test } from 'vitest';
import { burnUpOf, marksOf, markTexts } from './burn-up-data';

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

test('the axis of a short batch counts from its start, and a longer one has the time of day', () => {
  const start = new Date(2026, 10, 28, 13, 16, 26, 300).getTime();
  const textsOf = (seconds: number, step: number) => {
    const span = { start, min: start - 1, max: start + seconds * 1_000 };
    return markTexts(span, marksOf(span, step));
  };
  expect(textsOf(0.5, 200)).toEqual(['+0 s', '+0.2 s', '+0.4 s']);
  const clock = (second: number) =>
    new Date(2026, 10, 28, 13, 16, second).toLocaleTimeString(undefined, { timeStyle: 'medium' });
  expect(textsOf(20, 10_000)).toEqual([clock(30), clock(40)]);
  expect(textsOf(86_401, 43_200_000)[0]).toContain(
    new Date(2026, 10, 29).toLocaleDateString(undefined, { dateStyle: 'short' }),
  );
});
