import { fileURLToPath } from 'node:url';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { expect, onTestFinished, test } from 'vitest';
import { startPlatform } from '../vendor-adapter/start-platform.js';

const platform = await startPlatform();
const port = await freePort();
const argv = [process.execPath, '--import', 'tsx', fileURLToPath(new URL('adapter.ts', import.meta.url))];
const environment = { PORT: String(port), TOKENS: JSON.stringify({ 'demo-1': 'token-1' }) };

async function start() {
  const adapter = await platform.startAdapter({ argv, environment });
  await adapter.logged('Devices poll');
  return adapter;
}

type Body = NonNullable<RequestInit['body']>;

const call = (path: string, { token = 'token-1', body }: { token?: string; body?: Body } = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { Authorization: `Bearer ${token}` },
    ...(body !== undefined && { method: 'POST', body, duplex: 'half' }),
  });

const poll = async () => {
  for (;;) {
    const response = await call('/command').catch(() => null);
    if (response?.status === 200) return response.json() as Promise<{ command_id: string }>;
  }
};

test('the adapter is killed while a device executes: the next process takes the outcome, and the device has begun once', async () => {
  const { pid, exited } = await start();
  const commandId = await platform.send({ timeout_seconds: 120 });
  expect(await poll()).toMatchObject({ command_id: commandId, command_type: 'reboot' });
  process.kill(pid, 'SIGKILL');
  await exited;
  const { stop } = await start();
  // What it has begun it does not begin again: it says the outcome.
  expect(await poll()).toMatchObject({ command_id: commandId });
  expect(
    (await call(`/outcomes/${commandId}`, { body: '{"status":"done","result":{"uptime_seconds":0}}' })).status,
  ).toBe(204);
  expect(await platform.outcomeOf(commandId)).toMatchObject({ status: 'SUCCEEDED', result: { uptime_seconds: 0 } });
  await stop();
});

test('what waits for a poll when the adapter is stopped is new to the next process: it does not reach a device that never polls', async () => {
  const first = await start();
  const commandId = await platform.send({ timeout_seconds: 30 });
  await platform.taken(1);
  await first.stop();
  const second = await start();
  expect(await platform.outcomeOf(commandId)).toMatchObject({
    status: 'FAILED',
    adapter_status: 'UNREACHABLE',
    device_execution_status: 'NOT_STARTED',
  });
  await second.stop();
});

test('a wrong token, path or outcome is refused', async () => {
  const { stop } = await start();
  onTestFinished(stop);
  const commandId = await platform.send({ timeout_seconds: 120 });
  await poll();
  const outcome = `/outcomes/${commandId}`;
  const said = (body: string, token?: string) => call(outcome, { body, ...(token && { token }) });
  const refusals = [
    await call('/command', { token: 'token-2' }),
    await said('{"status":"done"}', 'token-2'),
    await call('/commands'),
    await call('/outcomes/another', { body: '{"status":"done"}' }),
    await said('{"status":"DONE"}'),
    await said('[]'),
  ];
  expect(refusals.map(({ status }) => status)).toEqual([401, 401, 404, 404, 400, 400]);
  expect((await said('{"status":"done"}')).status).toBe(204);
  expect(await platform.outcomeOf(commandId)).toMatchObject({ status: 'SUCCEEDED', result: {} });
});

const invalid = { result: null, status_reason: { code: 'RESULT_INVALID' } };
const done = (bytes: number) => `{"status":"done","result":{"log":"${'x'.repeat(bytes)}"}}`;
/** Without the header Content-Length. */
const inChunks = (text: string) => new Blob([text]).stream();

test.for<[string, Body, object]>([
  [
    'in chunks',
    inChunks('{"status":"done","result":{"celsius":21}}'),
    { result: { celsius: 21 }, status_reason: null },
  ],
  ['with NaN', '{"status":"done","result":{"celsius":NaN}}', invalid],
  ['with a result that is no object', '{"status":"done","result":21}', invalid],
  ['with a result of 70 KB', done(70_000), invalid],
  ['with a result of 1 MB, in chunks', inChunks(done(1_000_000)), invalid],
])('an outcome counts %s', async ([, body, expected]) => {
  const { stop } = await start();
  onTestFinished(stop);
  const commandId = await platform.send({ timeout_seconds: 120 });
  await poll();
  expect((await call(`/outcomes/${commandId}`, { body })).status).toBe(204);
  expect(await platform.outcomeOf(commandId)).toMatchObject({ status: 'SUCCEEDED', ...expected });
});
