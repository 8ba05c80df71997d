import { expect, test, vi } from 'vitest';
import { answer, fakeClient, refusal } from '../../test/fake-fetch.js';
import { isWaitTimeoutError } from '../index.js';

const record = (status: string, completed_at: string | null = null) =>
  answer(200, { command_id: 'c1', status, completed_at, request_id: 'r' });
const queries = ({ sent }: { sent: { url: string }[] }) => sent.map(({ url }) => new URL(url).search);

test('wait asks the platform to wait until the command is final, whatever its outcome', async () => {
  const { client, fetch } = fakeClient([record('DISPATCHED'), record('FAILED', '2026-01-31T09:30:03.535Z')]);
  expect(await client.commands.wait('c1')).toMatchObject({ status: 'FAILED' });
  expect(queries(fetch)).toEqual(['?wait_seconds=30', '?wait_seconds=30']);
});

test('wait ends in time with the last read record', async () => {
  let nowMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const later = async () => {
    nowMs += 30_000;
    return record('DISPATCHED');
  };
  const { client, fetch } = fakeClient([later, later]);
  const error = await client.commands.wait('c1', { timeoutSeconds: 40 }).catch((error) => error);
  clock.mockRestore();
  expect(isWaitTimeoutError(error)).toBe(true);
  expect(error).toMatchObject({ requestId: 'r', command: { command_id: 'c1', status: 'DISPATCHED' } });
  expect(queries(fetch)).toEqual(['?wait_seconds=30', '?wait_seconds=10']);
});

test('wait with a time of zero reads once', async () => {
  const { client, fetch } = fakeClient([record('ACCEPTED')]);
  await expect(client.commands.wait('c1', { timeoutSeconds: 0 })).rejects.toMatchObject({ name: 'WaitTimeoutError' });
  expect(queries(fetch)).toEqual(['?wait_seconds=0']);
});

test('a waiting call may take as long as it waits, plus timeoutMs and deadlineMs', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const { client } = fakeClient([record('ACCEPTED'), record('ACCEPTED')], { timeoutMs: 5_000 });
  await client.commands.get('c1', { wait_seconds: 30 });
  await client.commands.get('c1', { wait_seconds: 30 }, { deadlineMs: 2_000 });
  const delays = timers.mock.calls.map(([, delayMs]) => Math.ceil(delayMs ?? 0));
  timers.mockRestore();
  // The time that has passed no longer counts towards the deadline.
  expect(delays[0]).toBe(35_000);
  expect(delays[1]).toBeLessThanOrEqual(32_000);
  expect(delays[1]).toBeGreaterThan(31_000);
  expect(delays).toHaveLength(2);
});

test('no limit is longer than a timer allows, which would fire at once', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const longest = 2_147_483_647;
  const { client } = fakeClient([record('ACCEPTED')], { timeoutMs: longest, deadlineMs: longest });
  await client.commands.get('c1', { wait_seconds: 30 });
  const delays = timers.mock.calls.map(([, delayMs]) => delayMs);
  timers.mockRestore();
  expect(delays).toEqual([longest]);
});

test('createAndWait sends one command, with its own limits for each request', async () => {
  const { client, fetch } = fakeClient([
    refusal(503, 'SERVICE_UNAVAILABLE', {}, { 'Retry-After': '0' }),
    answer(202, { command_id: 'c1', status: 'ACCEPTED' }),
    record('SUCCEEDED', '2026-01-31T09:30:03.535Z'),
  ]);
  const body = { vendor: 'vendor_a', device_id: 'd', command_type: 'reboot', payload: {} };
  expect(await client.commands.createAndWait(body, { timeoutSeconds: 20 })).toMatchObject({ status: 'SUCCEEDED' });
  expect(fetch.sent[0]?.body).toEqual(fetch.sent[1]?.body);
  expect(queries(fetch)).toEqual(['', '', '?wait_seconds=20']);
});

test('cancel and the reply to a device are retried after an unknown outcome', async () => {
  const lost = () => answer(500, { code: 'INTERNAL_ERROR', message: 'It failed.', request_id: 'r' });
  const { client, fetch } = fakeClient([lost(), record('CANCELED'), lost(), answer(200, { status: 'REPLIED' })]);
  expect(await client.commands.cancel('c1')).toMatchObject({ status: 'CANCELED' });
  expect(await client.deviceRequests.reply('q1', { outcome: 'SUCCESS' })).toMatchObject({ status: 'REPLIED' });
  expect(fetch.sent).toHaveLength(4);
});
