import { testVendor } from '@tenant-open-platform/sdk/adapter';
import { expect, onTestFinished, test } from 'vitest';
import { pollingDevices } from './devices.js';

function start() {
  const { onCommand, ...devices } = pollingDevices();
  const vendor = testVendor({ onCommand, onePerDevice: true });
  onTestFinished(() => vendor.stop());
  const device = 'heater-7';
  const send = (options: { timeoutMs?: number; redelivered?: boolean } = {}) =>
    vendor.send({ device_id: device, command_type: 'set_celsius', payload: { celsius: 21 } }, options);
  const poll = (hungUp = new AbortController().signal) => devices.poll(device, hungUp);
  const nextTask = async () => {
    const task = await poll();
    if (!task) throw new Error('The poll ended without a command.');
    return task;
  };
  return { devices, device, send, poll, nextTask };
}

test.each([
  ['done', 'SUCCEEDED'],
  ['failed', 'FAILED'],
  ['refused', 'REJECTED'],
  ['unknown', 'TIMED_OUT'],
] as const)('a device that polls says %s: the command is %s of the device', async (status, ended) => {
  const { devices, device, send, nextTask } = start();
  const outcome = send();
  const { command_id, command_type, payload, remaining_ms } = await nextTask();
  expect([command_type, payload, remaining_ms > 0]).toEqual(['set_celsius', { celsius: 21 }, true]);
  expect(devices.say(device, command_id, { status, reason: 'why' })).toBe(true);
  expect((await outcome).updates.at(-1)).toMatchObject({ device_execution_status: ended });
});

test('a device that hangs up before it has read its command gets it again with the next poll, until it has said an outcome, but not more often than once a second', async () => {
  const { devices, device, send, poll, nextTask } = start();
  const hungUp = new AbortController();
  const first = poll(hungUp.signal);
  hungUp.abort();
  expect(await first).toBeUndefined();
  const outcome = send();
  const { command_id } = await nextTask();
  const givenAt = performance.now();
  for (const _ of [1, 2]) expect(await nextTask()).toMatchObject({ command_id });
  expect(performance.now() - givenAt).toBeGreaterThan(1_900);
  expect(devices.say('heater-8', command_id, { status: 'done' })).toBe(false);
  expect(devices.say(device, 'another', { status: 'done' })).toBe(false);
  expect(devices.say(device, command_id, { status: 'done', result: { celsius: 21 } })).toBe(true);
  expect((await outcome).updates.at(-1)).toMatchObject({ result: { celsius: 21 } });
  expect(devices.say(device, command_id, { status: 'failed' })).toBe(false);
});

test('a second poll of a device ends its first one without a command', async () => {
  const { devices, device, poll, nextTask, send } = start();
  const first = poll();
  const second = nextTask();
  expect(await first).toBeUndefined();
  void send();
  const { command_id } = await second;
  devices.say(device, command_id, { status: 'done' });
});

test('nobody polls: UNREACHABLE, or TIMED_OUT if an earlier process may have given it to the device', async () => {
  const { send } = start();
  expect((await send({ timeoutMs: 300 })).updates.at(-1)).toMatchObject({ adapter_status: 'UNREACHABLE' });
  expect((await send({ timeoutMs: 300, redelivered: true })).updates.at(-1)).toMatchObject({
    device_execution_status: 'TIMED_OUT',
  });
});

test('a device that took the command and says nothing: TIMED_OUT', async () => {
  const { send, nextTask } = start();
  const task = nextTask();
  const outcome = send({ timeoutMs: 1_000 });
  await task;
  expect((await outcome).updates.at(-1)).toMatchObject({ device_execution_status: 'TIMED_OUT' });
});
