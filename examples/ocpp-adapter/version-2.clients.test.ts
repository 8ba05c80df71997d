import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signedRequest, temporaryFolder } from '@tenant-open-platform/testing';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startPlatform } from '../vendor-adapter/start-platform.js';
import { installChargePoints } from './install-charge-points.js';

const folder = temporaryFolder();
const [platform, python] = await Promise.all([startPlatform(), installChargePoints(folder)]);
const port = await freePort();

const known = join(folder, 'known.json');
writeFileSync(known, JSON.stringify({ 'cp-2': { tenant_id: 'demo', password: 'cp-2-password' } }));
const dialling = join(folder, 'dialling.json');
writeFileSync(dialling, JSON.stringify([{ identity: 'cp-2', password: 'cp-2-password', version: 'ocpp2.0.1' }]));

for (const type of ['unlock_connector', 'start_charging', 'stop_charging', 'set_availability', 'reboot']) {
  const body = { description: type, payload_schema: { type: 'object' } };
  const path = `/api/v1/platform/catalog/vendors/vendor_a/command-types/${type}`;
  expect((await signedRequest(platform.admin, 'PUT', path, { body })).status).toBe(200);
}

/** PyPI's `ocpp` as a charge point of OCPP 2.0.1. */
async function plugIn() {
  const program = join(import.meta.dirname, 'charge_points.py');
  const point = spawn(python, [program, `ws://127.0.0.1:${port}/ocpp`, dialling], { stdio: 'pipe' });
  onTestFinished(() => void point.kill('SIGKILL'));
  let log = '';
  for (const output of [point.stdout, point.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  }
  await vi.waitFor(() => expect(log).toContain('online cp-2 ocpp2.0.1'), { timeout: 60_000, interval: 50 });
  return { calls: () => log.split('\n').filter((line) => line.startsWith('call ')) };
}

test('each command type reaches a charge point of OCPP 2.0.1 in the words of that version', async () => {
  const { logged, stop } = await platform.startAdapter({
    argv: [process.execPath, '--import', 'tsx', join(import.meta.dirname, 'adapter.ts')],
    environment: { OCPP_PORT: String(port), CHARGE_POINTS_FILE: known },
  });
  await logged('Serving vendor_a for demo.');
  const { calls } = await plugIn();
  const results: unknown[] = [];
  for (const [command_type, payload] of [
    ['unlock_connector', { connector_id: 3 }],
    ['start_charging', { id_tag: 'tag-1', connector_id: 3 }],
    ['stop_charging', { transaction_id: 7 }],
    ['set_availability', { connector_id: 3, available: false }],
    ['reboot', { hard: true }],
  ] as const) {
    const commandId = await platform.send({ device_id: 'cp-2', command_type, payload });
    results.push((await platform.outcomeOf(commandId)).result);
  }
  expect(results).toEqual([{ status: 'Unlocked' }, ...Array(4).fill({ status: 'Accepted' })]);
  expect(calls()).toEqual([
    "call cp-2 UnlockConnector {'evse_id': 3, 'connector_id': 1}",
    "call cp-2 RequestStartTransaction {'id_token': 'tag-1', 'type': 'Central'} 3",
    'call cp-2 RequestStopTransaction 7',
    'call cp-2 ChangeAvailability',
    'call cp-2 Reset Immediate',
  ]);
  await stop();
});
