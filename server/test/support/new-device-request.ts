import { randomUUID } from 'node:crypto';
import { type Answer, signedRequest, type TestTenant } from '@tenant-open-platform/testing';
import { completed, newCommand } from './commands.js';

/** A request of a device that has sent none before: simulated devices ask for firmware after a reboot. */
export async function newDeviceRequest(
  { operator, reader }: TestTenant,
  deviceId = `ok-${randomUUID()}`,
): Promise<Answer['body']> {
  await completed(reader, await newCommand(operator, { device_id: deviceId }));
  const requests = `/api/v1/open/device-requests?device_id=${deviceId}&wait_seconds=30`;
  return (await signedRequest(reader, 'GET', requests)).body.items[0];
}
