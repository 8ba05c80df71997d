import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { boundedLog, ONCE_A_MINUTE } from './logger.js';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function recorded() {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { logger, lines };
}

test('a flood of one code writes ten lines a second and how many were left out, and hides no other code', () => {
  const { logger, lines } = recorded();
  const log = boundedLog(logger);
  for (let line = 0; line < 1_000; line++) log('error', 'INTERNAL_ERROR', { line }, 'failed');
  log('error', 'SERVICE_UNAVAILABLE', {}, 'unavailable');
  expect(lines.map(({ msg }) => msg)).toEqual([...Array(10).fill('failed'), 'unavailable']);
  vi.advanceTimersByTime(1_000);
  expect(lines.at(-1)).toMatchObject({ code: 'INTERNAL_ERROR', left_out: 990 });
  log('error', 'INTERNAL_ERROR', {}, 'failed again');
  expect(lines.at(-1)).toMatchObject({ level: 50, msg: 'failed again' });
});

test('a line that is written once a minute', () => {
  const { logger, lines } = recorded();
  const log = boundedLog(logger, ONCE_A_MINUTE);
  for (let second = 0; second < 120; second++) {
    log('error', 'client', {}, 'damaged');
    vi.advanceTimersByTime(1_000);
  }
  expect(lines.filter(({ msg }) => msg === 'damaged')).toHaveLength(2);
});
