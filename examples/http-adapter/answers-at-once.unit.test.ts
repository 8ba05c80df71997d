import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testVendor } from '@tenant-open-platform/sdk/adapter';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { carryOutAtOnce } from './answers-at-once.js';

/** A device: the last part of the path is the status of its answer, or the body; `cut` ends the connection. */
const bodies = new Map([
  ['empty', ''],
  ['words', 'OK'],
]);
const calls: string[] = [];
const device = createServer((request, response) => {
  const [, status = ''] = request.url?.split('/') ?? [];
  request.on('data', (body: Buffer) => {
    calls.push(String(body));
    if (status === 'cut') request.socket.destroy();
    else if (status !== 'silent') response.writeHead(Number(status) || 200).end(bodies.get(status) ?? '{"rpm":1200}');
  });
}).listen(0, '127.0.0.1');
await once(device, 'listening');
const address = `http://127.0.0.1:${(device.address() as AddressInfo).port}`;
beforeEach(() => void calls.splice(0));
afterAll(() => {
  device.closeAllConnections();
  device.close();
});

const addresses = new Map([
  ['acme/pump-7', address],
  ['acme/gone', 'http://127.0.0.1:2'],
]);
async function send(command: { device_id?: string; tenant_id?: string; command_type: string }, options: object = {}) {
  const vendor = testVendor({
    onCommand: carryOutAtOnce((tenantId, deviceId) => addresses.get(`${tenantId}/${deviceId}`)),
  });
  onTestFinished(() => vendor.stop());
  return vendor.send({ tenant_id: 'acme', device_id: 'pump-7', payload: { rpm: 1200 }, ...command }, options);
}

test.each([
  ['200', { device_execution_status: 'SUCCEEDED', result: { rpm: 1200 } }],
  ['words', { device_execution_status: 'SUCCEEDED', status_reason: { code: 'RESULT_INVALID' } }],
  ['409', { device_execution_status: 'REJECTED', status_reason: { code: 'REFUSED' } }],
  ['404', { adapter_status: 'UNSUPPORTED' }],
  ['503', { device_execution_status: 'TIMED_OUT', status_reason: { code: 'DEVICE_ERROR' } }],
  ['cut', { device_execution_status: 'TIMED_OUT', status_reason: { code: 'ADAPTER_ERROR' } }],
])('the answer %s of a device is the outcome %j', async (command_type, outcome) => {
  expect((await send({ command_type })).outcome).toMatchObject(outcome);
  expect(calls).toEqual(['{"rpm":1200}']);
});

test.each(['204', 'empty'])(
  'the answer %s says that the device has done it, without a result',
  async (command_type) => {
    const { command_id, occurred_at, ...outcome } = (await send({ command_type })).outcome ?? {};
    expect(outcome).toEqual({ device_execution_status: 'SUCCEEDED' });
  },
);

test('a device that does not answer ends as TIMED_OUT at the deadline', async () => {
  // A busy machine can pause the test for longer than the deadline. The timer of the deadline is a real one.
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { outcome } = await send({ command_type: 'silent' }, { timeoutMs: 50 });
  expect(outcome).toMatchObject({ device_execution_status: 'TIMED_OUT' });
});

test.each([
  [{ device_id: 'gone' }, {}, { adapter_status: 'UNREACHABLE' }],
  [{ tenant_id: 'other' }, {}, { adapter_status: 'REJECTED', status_reason: { code: 'UNKNOWN_DEVICE' } }],
  [{}, { redelivered: true }, { device_execution_status: 'TIMED_OUT', status_reason: { code: 'SENT_TWICE' } }],
])('the device gets nothing: %j %j ends as %j', async (command, options, outcome) => {
  expect((await send({ command_type: '200', ...command }, options)).outcome).toMatchObject(outcome);
  expect(calls).toEqual([]);
});
