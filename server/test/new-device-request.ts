import { randomUUID } from 'node:crypto';
import { type Answer, signedRequest, type TestTenant } from '@tenant-open-platform/testing';

/** A request of a device that sent none before: the simulated ones ask for firmware after a reboot. */
export async function newDeviceRequest(
  { operator, reader }: TestTenant,
  deviceId = `ok-${randomUUID()}`,
): Promise<Answer['body']> {
  const body = { vendor: 'vendor_a', device_id: deviceId, command_type: 'reboot', payload: {} };
  const rebooted = await signedRequest(operator, 'POST', '/api/v1/open/downlink/commands', {
    body: { ...body, idempotency_key: randomUUID() },
  });
  if (rebooted.status !== 202) throw new Error(rebooted.raw);
  const requests = `/api/v1/open/device-requests?device_id=${deviceId}&wait_seconds=30`;
  return (await signedRequest(reader, 'GET', requests)).body.items[0];
}
