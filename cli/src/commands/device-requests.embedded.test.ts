import { EventEmitter } from 'node:events';
import { createTenant } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { environmentOf, topctl } from '../../test/topctl.js';

const requestId = '019bd3a4-5c4e-7e99-8cc8-e18293a4b5c6';
const reply = ['device-requests', 'reply', requestId];

/** Records the request, and answers like the platform. */
async function recorded() {
  const bodies: unknown[] = [];
  const recording: typeof fetch = async (_, init) => {
    bodies.push(JSON.parse(String(init?.body)));
    return Response.json({ device_request_id: requestId, status: 'REPLIED', request_id: 'r' });
  };
  const { operator } = await createTenant();
  return { bodies, world: { env: environmentOf(operator), fetch: recording } };
}

test('reply sends the outcome with its payload or its error', async () => {
  const { bodies, world } = await recorded();
  const granted = [...reply, '--outcome', 'SUCCESS', '--payload', '-', '-o', 'id'];
  expect(await topctl(granted, { ...world, stdin: '{"version":"2.4.1"}' })).toEqual({
    exitCode: 0,
    stdout: `${requestId}\n`,
    stderr: '',
  });
  await topctl([...reply, '--outcome', 'ERROR', '--error-code', 'NOT_NOW', '--error-message', 'Later.'], world);
  expect(bodies).toEqual([
    { outcome: 'SUCCESS', payload: { version: '2.4.1' } },
    { outcome: 'ERROR', error: { code: 'NOT_NOW', message: 'Later.' } },
  ]);
});

test('follow prints each pending request once, until Ctrl-C', async () => {
  const signals = new EventEmitter();
  const pages = [['a'], ['b', 'c'], []];
  const asked: (string | null)[] = [];
  const following: typeof fetch = async (input) => {
    asked.push(new URL(String(input)).searchParams.get('cursor'));
    const ids = pages.shift() ?? [];
    if (pages.length === 0) signals.emit('SIGINT');
    const items = ids.map((id) => ({ device_request_id: id, cursor: `c-${id}` }));
    return Response.json({ items, next_cursor: null, request_id: 'r' });
  };
  const { operator } = await createTenant();
  const argv = ['device-requests', 'follow', '-o', 'id'];
  expect(await topctl(argv, { env: environmentOf(operator), fetch: following, signals })).toEqual({
    exitCode: 130,
    stdout: 'a\nb\nc\n',
    stderr: 'cancelled\n',
  });
  expect(asked).toEqual([null, 'c-a', 'c-c']);
});

test.each([
  ['no outcome', [], 'missing --outcome'],
  ['half an error', ['--outcome', 'ERROR', '--error-code', 'NOT_NOW'], 'need each other'],
])('reply with %s sends nothing', async (_, flags, problem) => {
  const { bodies, world } = await recorded();
  const { exitCode, stderr } = await topctl([...reply, ...flags], world);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(problem) });
  expect(bodies).toEqual([]);
});
