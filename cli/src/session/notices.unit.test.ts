import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Context } from '../context.js';
import { noteSilence } from './notices.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const baseUrl = 'http://127.0.0.1:2';
const refused = () => Promise.reject(new TypeError('fetch failed'));
const note = `No answer from ${baseUrl} (the environment) yet; topctl keeps trying. To find out why: topctl doctor\n`;

/** What topctl has written after each of these times, in seconds, while nothing answers. */
async function writtenAfter(isTTY: boolean, ...times: number[]): Promise<string[]> {
  const written: string[] = [];
  const stderr = { isTTY, columns: 200, write: (text: string) => written.push(text) };
  const send = noteSilence({ stderr } as unknown as Context, { baseUrl, source: 'the environment' })(refused);
  const after: string[] = [];
  for (const [index, time] of times.entries()) {
    await send(`${baseUrl}/api/v1/open/me`).catch(() => {});
    vi.advanceTimersByTime((time - (times[index - 1] ?? 0)) * 1000);
    after.push(written.join(''));
  }
  return after;
}

test('says once on a terminal, after 3 seconds, that nothing has answered yet', async () => {
  expect(await writtenAfter(true, 2.9, 3.1, 100)).toEqual(['', note, note]);
});

test('says so in a script, too, after 10 seconds: a wait may last for minutes', async () => {
  expect(await writtenAfter(false, 9.9, 10.1, 100)).toEqual(['', note, note]);
});
