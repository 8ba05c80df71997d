import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { startPlatform } from './start-platform.js';

const run = promisify(execFile);
const folder = temporaryFolder();
const python = join(folder, 'bin/python');
const install = async () => {
  await run('python3', ['-m', 'venv', folder]);
  const constraints = join(import.meta.dirname, 'constraints.txt');
  await run(python, ['-m', 'pip', 'install', '-q', '-c', constraints, 'nats-py[nkeys]']);
};
const [platform] = await Promise.all([startPlatform(), install()]);

async function start() {
  const adapter = await platform.startAdapter({ argv: [python, 'adapter.py'] });
  await adapter.logged('Serving vendor_a for demo.');
  return adapter;
}

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

test('a command that came after its deadline is TIMED_OUT, and its record says that it was not started', async () => {
  const commandId = await platform.send({ timeout_seconds: 5 });
  expect(await platform.outcomeOf(commandId)).toMatchObject({ status: 'TIMED_OUT', late_result: null });
  const { stop } = await start();
  expect(await platform.lateResultOf(commandId)).toMatchObject({
    adapter_status: 'UNREACHABLE',
    status_reason: { code: 'NOT_STARTED' },
  });
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
