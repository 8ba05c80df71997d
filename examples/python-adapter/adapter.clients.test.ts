import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createAccount, createUser } from '@nats-io/nkeys';
import { connect, createInbox, type Msg, nkeyAuthenticator } from '@nats-io/transport-node';
import { clockAhead, signedRequest, startNode } from '@tenant-open-platform/testing';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startPython } from './start-python.js';

const { platform, python, start, startWith } = await startPython();

test('the adapter in Python carries out commands, also after NATS was restarted, and refuses those for devices of others', async () => {
  const { stop } = await start();
  const outcome = { status: 'SUCCEEDED', result: { uptime_seconds: 0 } };
  expect(await platform.outcomeOf(await platform.send({}))).toMatchObject(outcome);
  const refused = await platform.outcomeOf(await platform.send({ device_id: 'acme-1' }));
  expect(refused).toMatchObject({ status: 'REJECTED', status_reason: { code: 'UNKNOWN_DEVICE' } });
  await platform.nats.suspend();
  await platform.nats.resume();
  expect(await platform.outcomeOf(await platform.send({}))).toMatchObject(outcome);
  await stop();
});

/** An adapter has just read, so no other can have read what is sent now. */
async function readFirst(): Promise<void> {
  const { stop } = await start();
  expect(await platform.outcomeOf(await platform.send({}))).toMatchObject({ status: 'SUCCEEDED' });
  await stop();
}

test('a command that came after its deadline is TIMED_OUT, and its record says that it was not started', async () => {
  await readFirst();
  const commandId = await platform.send({ timeout_seconds: 5 });
  expect(await platform.outcomeOf(commandId)).toMatchObject({ status: 'TIMED_OUT', late_result: null });
  const { stop } = await start();
  expect(await platform.lateResultOf(commandId)).toMatchObject({
    adapter_status: 'UNREACHABLE',
    status_reason: { code: 'NOT_STARTED' },
  });
  await stop();
});

test('what was sent while nobody read is carried out, unless NATS was started since: it may have forgotten a delivery', async () => {
  await readFirst();
  const meanwhile = await platform.sendAhead({ device_id: 'demo-meanwhile' });
  const second = await start();
  expect(await platform.outcomeOf(meanwhile)).toMatchObject({ status: 'SUCCEEDED' });
  await second.stop();
  const kept = await platform.sendAhead({ device_id: 'demo-kept' });
  await platform.nats.suspend();
  await platform.nats.resume();
  const third = await start();
  // This device cannot be asked.
  expect(await platform.outcomeOf(kept)).toMatchObject({ status: 'TIMED_OUT', status_reason: { code: 'SENT_TWICE' } });
  expect(third.log()).not.toContain('demo-kept: reboot');
  await third.stop();
});

test('after a start of NATS it does not say that a command of before was not started, whoever has read since', async () => {
  await readFirst();
  const late = [await platform.sendAhead({ timeout_seconds: 5 }), await platform.sendAhead({ timeout_seconds: 5 })];
  for (const id of late) expect(await platform.outcomeOf(id)).toMatchObject({ status: 'TIMED_OUT' });
  await platform.nats.suspend();
  await platform.nats.resume();
  const authenticator = nkeyAuthenticator(platform.platformUser.getSeed());
  const connection = await connect({ servers: platform.nats.url, authenticator });
  onTestFinished(() => connection.close());
  const updated: string[] = [];
  const callback = (_: unknown, message: Msg) => void updated.push(message.json<{ command_id: string }>().command_id);
  connection.subscribe('tenants.demo.command-updates.*', { callback });
  await connection.flush();
  // A process that takes one message and is gone.
  const inbox = createInbox();
  const reading = connection.subscribe(inbox, { max: 1 });
  connection.publish('$JS.API.CONSUMER.MSG.NEXT.TOP_COMMANDS.demo+vendor_a', '1', { reply: inbox });
  for await (const taken of reading) {
    expect(late).toContain(taken.json<{ command_id: string }>().command_id);
    await connection.request(taken.reply ?? '', '+ACK', { timeout: 30_000 });
  }
  const { stop } = await start();
  // It comes later on the bus, and so does its outcome.
  const next = await platform.send({});
  expect(await platform.outcomeOf(next)).toMatchObject({ status: 'SUCCEEDED' });
  await stop();
  await connection.flush();
  expect(new Set(updated)).toEqual(new Set([next]));
});

test('it tells of progress, sends the request of a device and gets its reply', async () => {
  const { admin, demo } = platform;
  const put = (path: string, body: object) =>
    signedRequest(admin, 'PUT', `/api/v1/platform/catalog/vendors/vendor_a${path}`, { body });
  const type = { description: 'Updates the firmware.', payload_schema: {} };
  expect((await put('/command-types/update_firmware', type)).status).toBe(200);
  const policy = { client_id: demo.client_id, scope: 'open:device-request:create' };
  const granted = await signedRequest(admin, 'POST', '/api/v1/platform/tenants/demo/policies', { body: policy });
  expect(granted.status).toBe(201);
  const { stop } = await start();
  const commandId = await platform.send({ command_type: 'update_firmware' });
  const pending = await vi.waitFor(
    async () => {
      const { items } = (await signedRequest(demo, 'GET', '/api/v1/open/device-requests?status=PENDING')).body;
      expect(items).toMatchObject([{ request_type: 'firmware_check', payload: { version: '2.4.0' } }]);
      return items[0];
    },
    { timeout: 60_000, interval: 100 },
  );
  await vi.waitFor(
    async () =>
      expect(await platform.read(commandId)).toMatchObject({
        device_execution_status: 'IN_PROGRESS',
        progress: { step: 1, of: 2 },
      }),
    { timeout: 60_000, interval: 100 },
  );
  const reply = { body: { outcome: 'SUCCESS', payload: { version: '2.4.1' } } };
  const target = `/api/v1/open/device-requests/${pending.device_request_id}/reply`;
  expect((await signedRequest(demo, 'POST', target, reply)).status).toBeLessThan(300);
  expect(await platform.outcomeOf(commandId)).toMatchObject({
    status: 'SUCCEEDED',
    result: { firmware: { version: '2.4.1' } },
  });
  await stop();
});

test('without a durable it says that it cannot read', async () => {
  const argv = [python, join(import.meta.dirname, 'adapter.py')];
  const { logged } = await platform.startAdapter({ argv, vendor: 'vendor_z' });
  await logged('Cannot read demo+vendor_z on TOP_COMMANDS');
});

test('on a nats-server without accounts it needs no seed', async () => {
  const nats = await ownNats();
  const { admin, demo } = await startNode({ NATS_URL: nats.url });
  const body = {
    bus_user: 'adapter',
    bus_account_public_key: createAccount().getPublicKey(),
    bus_user_public_key: createUser().getPublicKey(),
    principal_type: 'SERVICE',
  };
  const principals = '/api/v1/platform/tenants/demo/bus/principals';
  expect((await signedRequest(admin, 'POST', principals, { body })).status).toBe(201);
  const { logged, stop } = await platform.startAdapter({
    argv: [python, join(import.meta.dirname, 'adapter.py')],
    seed: '',
    environment: { NATS_URL: nats.url },
  });
  await logged('Reads demo+vendor_a on TOP_COMMANDS.');
  const command = { vendor: 'vendor_a', device_id: 'demo-1', command_type: 'reboot', payload: {} };
  const accepted = await signedRequest(demo, 'POST', '/api/v1/open/downlink/commands', {
    body: { ...command, idempotency_key: 'one' },
  });
  const record = `/api/v1/open/downlink/commands/${accepted.body.command_id}?wait_seconds=20`;
  expect((await signedRequest(demo, 'GET', record)).body).toMatchObject({ status: 'SUCCEEDED' });
  await stop();
});

test('on SIGTERM it reports the results of commands in progress', async () => {
  const { log, logged, stop } = await start();
  const commandId = await platform.send({ device_id: 'demo-last' });
  await logged('demo-last: reboot');
  await stop();
  // nats-py waits in vain for the end of a drain.
  expect(log()).not.toContain('Error');
  expect(await platform.outcomeOf(commandId)).toMatchObject({ status: 'SUCCEEDED' });
});

const invalid = (message: string) => ({
  status: 'SUCCEEDED',
  result: null,
  status_reason: { code: 'RESULT_INVALID', message: expect.stringContaining(message) },
});

test('a result that the platform does not take costs no outcome: -0.0 is 0, the others are left out and named', async () => {
  const results: [string, object][] = [
    ['{"celsius": -0.0}', { status: 'SUCCEEDED', result: { celsius: 0 }, status_reason: null }],
    ['{"at": time.time_ns()}', invalid('an integer beyond 2**53 - 1')],
    ['{"count": 2**53 + 1}', invalid('an integer beyond 2**53 - 1')],
    ['{"text": "a\\0b"}', invalid('a text contains NUL')],
    ['{"volts": float("nan")}', invalid('nan is no number of JSON')],
  ];
  const cases = results.map(([result], n) => `"demo-${n}": ${result}`).join(', ');
  const { stop } = await startWith(`return context.device_says("SUCCEEDED", result={${cases}}[command["device_id"]])`);
  const ids = await Promise.all(results.map((_, n) => platform.send({ device_id: `demo-${n}` })));
  const outcomes = await Promise.all(ids.map((id) => platform.outcomeOf(id)));
  expect(outcomes).toMatchObject(results.map(([, outcome]) => outcome));
  await stop();
});

test('the reason of the adapter stays, and RESULT_INVALID stands beside it', async () => {
  const { stop } = await startWith(
    'return context.device_says("FAILED", "HOT", "Too hot.", {"celsius": float("nan")})',
  );
  const message = 'Too hot. (RESULT_INVALID. The result was not sent: nan is no number of JSON.)';
  const outcome = { status: 'FAILED', result: null, status_reason: { code: 'HOT', message } };
  expect(await platform.outcomeOf(await platform.send({}))).toMatchObject(outcome);
  await stop();
});

test.for([
  ['ahead of', 3_600_000],
  ['behind', -3_600_000],
] as const)('a clock that is an hour %s that of NATS is named once', async ([said, aheadMs]) => {
  const { log, stop } = await startWith('return context.device_says("SUCCEEDED")', clockAhead(aheadMs));
  expect(await platform.outcomeOf(await platform.send({}))).toMatchObject({ status: 'SUCCEEDED' });
  await stop();
  const warning = `The clock of this machine is 3600 s ${said} that of NATS. Deadlines are those of NATS' clock.`;
  expect(log().match(/^The clock of this machine is .*/gm)).toEqual([warning]);
  // A nats-server before 2.10 tells its time at most once a minute.
  const learnTwice = `import adapter, time
clock = adapter.Clock()
for _ in range(2):
    clock.learn(time.time() - ${aheadMs / 1_000}, time.monotonic())`;
  const env = { TENANT_ID: 'demo', VENDOR: 'vendor_a', PYTHONDONTWRITEBYTECODE: '1' };
  const { stdout } = await promisify(execFile)(python, ['-c', learnTwice], { cwd: import.meta.dirname, env });
  expect(stdout).toBe(`${warning}\n`);
});

/** At SIGUSR2, demo-away turns out to be unreachable, and demo-done has done it. */
const untilTold = `
print("runs", command["device_id"], context.redelivered, flush=True)
if command["device_id"] != "demo-waits":
    if not hasattr(carry_out, "told"):
        carry_out.told = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR2, carry_out.told.set)
    await carry_out.told.wait()
if command["device_id"] == "demo-away":
    return context.adapter_says("UNREACHABLE", "OFFLINE", "The device is offline.")
return context.device_says("SUCCEEDED", result={"redelivered": context.redelivered})
`;

test('frozen until another process has its commands: it starts none when it wakes, and does not say that nothing happened', async () => {
  const frozen = await startWith(untilTold);
  const send = (name: string) => platform.send({ device_id: `demo-${name}`, timeout_seconds: 120 });
  const [away = '', done = ''] = await Promise.all(['away', 'done'].map(send));
  for (const name of ['away', 'done']) await frozen.logged(`runs demo-${name}`);
  process.kill(frozen.pid, 'SIGSTOP');
  // It has asked NATS for more messages. This one waits in its socket.
  const waits = await send('waits');
  const second = await startWith(untilTold);
  for (const name of ['away', 'done']) await second.logged(`runs demo-${name} True`);
  expect(await platform.outcomeOf(waits)).toMatchObject({ status: 'SUCCEEDED' });
  process.kill(frozen.pid, 'SIGUSR2');
  process.kill(frozen.pid, 'SIGCONT');
  const message = expect.stringContaining('another process may have carried out the command too');
  expect(await platform.outcomeOf(away)).toMatchObject({
    status: 'TIMED_OUT',
    device_execution_status: 'TIMED_OUT',
    status_reason: { code: 'OFFLINE', message },
  });
  expect(await platform.outcomeOf(done)).toMatchObject({
    status: 'SUCCEEDED',
    result: { redelivered: true },
    status_reason: { code: 'SENT_TWICE', message },
  });
  process.kill(second.pid, 'SIGUSR2');
  await second.stop();
  await frozen.stop();
  expect(frozen.log()).not.toContain('runs demo-waits');
});
