import { testVendor } from '@tenant-open-platform/sdk/adapter';
import { expect, onTestFinished, test, vi } from 'vitest';
import { carryOut } from './devices.js';

function start() {
  const vendor = testVendor({ onCommand: carryOut });
  onTestFinished(() => vendor.stop());
  return vendor;
}

const ofAcme = { tenant_id: 'acme', device_id: 'acme-1' };

test('reboots a device, and reports that it has begun', async () => {
  const { updates } = await start().send({ ...ofAcme, command_type: 'reboot', payload: {} });
  expect(updates).toMatchObject([
    { adapter_status: 'DELIVERED', device_execution_status: 'IN_PROGRESS' },
    { device_execution_status: 'SUCCEEDED', result: { uptime_seconds: 0 } },
  ]);
});

test('tells why a device does not switch on', async () => {
  const { outcome } = await start().send({ ...ofAcme, command_type: 'set_power', payload: { power: 'on' } });
  expect(outcome).toMatchObject({ device_execution_status: 'REJECTED', status_reason: { code: 'DOOR_OPEN' } });
});

test('refuses a device of another tenant before it does anything', async () => {
  const command = { command_type: 'reboot', payload: {}, tenant_id: 'other', device_id: 'acme-1' } as const;
  const { updates } = await start().send(command);
  expect(updates).toMatchObject([{ adapter_status: 'REJECTED', status_reason: { code: 'UNKNOWN_DEVICE' } }]);
});

test('does not begin what an earlier process may have begun', async () => {
  const command = { ...ofAcme, command_type: 'reboot', payload: {} } as const;
  const { updates } = await start().send(command, { redelivered: true });
  expect(updates).toMatchObject([{ device_execution_status: 'TIMED_OUT', status_reason: { code: 'SENT_TWICE' } }]);
});

test('does not go on after the deadline', async () => {
  // A busy machine can pause the test for longer than the deadline. The timer of the deadline is a real one.
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { outcome } = await start().send({ ...ofAcme, command_type: 'reboot', payload: {} }, { timeoutMs: 10 });
  expect(outcome).toMatchObject({ device_execution_status: 'TIMED_OUT' });
});
