import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { topctl, unusedSecret } from '../../test/topctl.js';
import { printable } from './printable.js';

const HOSTILE = 'a\u001b[2J\u009b31m\u202eb\u{e0041}\u2028\u007f';
const UNSAFE = /[\p{C}\p{Zl}]/u;

test('text from other sources cannot control the terminal', () => {
  expect(printable('a\u001b[2Jb\u009b\u202e')).toBe('a\\u{1b}[2Jb\\u{9b}\\u{202e}');
  expect(printable('👨\u200d👩\u200d👧 می\u200cخواهم')).toBe('👨\u200d👩\u200d👧 می\u200cخواهم');
});

const env = { TOP_BASE_URL: 'http://127.0.0.1:1', TOP_CLIENT_ID: 'x', TOP_SECRET: unusedSecret };
const command = { command_id: 'c1', device_id: HOSTILE, result: { [HOSTILE]: [HOSTILE, `two\nlines ${HOSTILE}`] } };
const answering = (status: number, body: object) => (async () => Response.json(body, { status })) as typeof fetch;
const run = (argv: string[], status: number, body: object) => topctl(argv, { env, fetch: answering(status, body) });

test.each(['json', 'yaml', 'ndjson', 'table'])('-o %s shows control and bidi characters as escapes', async (format) => {
  const one = await run(['commands', 'get', 'c1', '-o', format], 200, { ...command, request_id: 'r' });
  const list = { items: [command], next_cursor: null, request_id: 'r' };
  const many = await run(['commands', 'list', '-o', format], 200, list);
  for (const { stdout } of [one, many]) {
    expect(stdout).toContain('31m');
    expect(stdout.replaceAll('\n', '')).not.toMatch(UNSAFE);
  }
  if (format === 'json' || format === 'ndjson') expect(JSON.parse(one.stdout)).toMatchObject(command);
  if (format === 'yaml') expect(parse(one.stdout)).toMatchObject(command);
});

test.each([
  ['-o', 'id'],
  ['-o', 'json'],
  ['-o', 'table'],
])('events tail %s %s shows them as escapes', async (...flags) => {
  const event = { event_id: `e${HOSTILE}`, occurred_at: HOSTILE, event_type: 'x', cursor: 'c', data: command };
  let pages = 0;
  const pagesOf: typeof fetch = async () => {
    if (pages++ > 0) return Response.json({ code: 'FORBIDDEN', message: 'No.', request_id: 'r' }, { status: 403 });
    return Response.json({ items: [event], next_cursor: 'c', request_id: 'r' });
  };
  const { stdout } = await topctl(['events', 'tail', ...flags], { env, fetch: pagesOf });
  expect(stdout).not.toBe('');
  expect(stdout.replaceAll('\n', '')).not.toMatch(UNSAFE);
});

test('a refusal and the answer to topctl api show them as escapes', async () => {
  const refusal = {
    code: 'VALIDATION_FAILED',
    message: HOSTILE,
    request_id: HOSTILE,
    metadata: { a: HOSTILE, b: [HOSTILE] },
  };
  const refused = await run(['commands', 'get', 'c1'], 400, {
    ...refusal,
    details: [{ location: HOSTILE, message: HOSTILE }],
  });
  expect(refused.stderr.replaceAll('\n', '')).not.toMatch(UNSAFE);
  const { stdout } = await run(['api', 'GET', '/api/v1/open/me'], 200, command);
  expect(stdout.replaceAll('\n', '')).not.toMatch(UNSAFE);
  expect(JSON.parse(stdout)).toEqual(command);
});
