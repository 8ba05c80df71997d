import { DeviceConnections, testVendor } from '@tenant-open-platform/sdk/adapter';
import { expect, onTestFinished, test } from 'vitest';
import type { ChargePoint } from './central-system.js';
import { commandsFor } from './commands.js';

/** A charge point that answers each call so. */
function start(call: ChargePoint['call']) {
  const online = new DeviceConnections<ChargePoint>();
  online.add('cp-1', { identity: 'cp-1', protocol: 'ocpp1.6', call, handle() {}, on() {}, async close() {} });
  const vendor = testVendor({
    onCommand: commandsFor({ 'cp-1': { tenant_id: 'acme', password: '' } }, online),
    onePerDevice: true,
  });
  onTestFinished(() => vendor.stop());
  const command = {
    tenant_id: 'acme',
    device_id: 'cp-1',
    command_type: 'stop_charging',
    payload: { transaction_id: 7 },
  } as const;
  return async (options?: { redelivered: boolean }) => (await vendor.send(command, options)).outcome;
}

test.each<[string, ChargePoint['call'], object]>([
  ['Rejected', async () => ({ status: 'Rejected' }), { device_execution_status: 'REJECTED' }],
  [
    'GenericError',
    () => Promise.reject({ rpcErrorCode: 'GenericError' }),
    { device_execution_status: 'FAILED', status_reason: { code: 'GenericError' } },
  ],
])(
  'the answer %s to a command that the charge point may have executed leaves it unknown',
  async (answer, call, first) => {
    const send = start(call);
    expect(await send()).toMatchObject(first);
    expect(await send({ redelivered: true })).toMatchObject({
      device_execution_status: 'TIMED_OUT',
      status_reason: { code: 'SENT_TWICE', message: expect.stringContaining(answer) },
    });
  },
);
