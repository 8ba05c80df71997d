import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { signedRequest, temporaryFolder } from '@tenant-open-platform/testing';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startPlatform } from '../vendor-adapter/start-platform.js';
import { installChargePoints } from './install-charge-points.js';

const folder = temporaryFolder();
const [platform, python] = await Promise.all([startPlatform(), installChargePoints(folder)]);
const { admin, demo } = platform;

const port = await freePort();
const chargePoints = join(folder, 'charge-points.json');
writeFileSync(chargePoints, JSON.stringify({ 'cp-1': { tenant_id: 'demo', password: 'cp-1-password' } }));

const types: Record<string, object> = {
  reboot: { hard: { type: 'boolean' } },
  unlock_connector: { connector_id: { type: 'integer' } },
  set_availability: { connector_id: { type: 'integer' }, available: { type: 'boolean' } },
  start_charging: { connector_id: { type: 'integer' }, id_tag: { type: 'string', maxLength: 20 } },
  stop_charging: { transaction_id: { type: 'integer' } },
};
for (const [type, properties] of Object.entries(types)) {
  const body = { description: type, payload_schema: { type: 'object', properties } };
  const path = `/api/v1/platform/catalog/vendors/vendor_a/command-types/${type}`;
  expect((await signedRequest(admin, 'PUT', path, { body })).status).toBe(200);
}
const policy = { client_id: demo.client_id, scope: 'open:device-request:create' };
await signedRequest(admin, 'POST', '/api/v1/platform/tenants/demo/policies', { body: policy });

const WAIT = { timeout: 60_000, interval: 50 };

async function startAdapter() {
  const adapter = await platform.startAdapter({
    argv: [process.execPath, '--import', 'tsx', join(import.meta.dirname, 'adapter.ts')],
    environment: { OCPP_PORT: String(port), CHARGE_POINTS_FILE: chargePoints },
  });
  await adapter.logged('Serving vendor_a for demo.');
  return adapter;
}

type Behaviour = 'accepting' | 'rejecting' | 'slow' | 'silent' | 'disconnecting';

/** PyPI's `ocpp` as the charge point. */
function plugIn(behaviour: Behaviour = 'accepting', password = 'cp-1-password') {
  const file = join(folder, 'behaviour.txt');
  const behave = (next: Behaviour) => writeFileSync(file, next);
  behave(behaviour);
  const program = join(import.meta.dirname, 'charge_point.py');
  const point = spawn(python, [program, `ws://127.0.0.1:${port}/ocpp`, 'cp-1', password, file], { stdio: 'pipe' });
  let log = '';
  for (const output of [point.stdout, point.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  }
  onTestFinished(() => void point.kill('SIGKILL'));
  return {
    behave,
    log: () => log,
    logged: (text: string) => vi.waitFor(() => expect(log).toContain(text), WAIT),
    unplug: () => point.kill('SIGKILL'),
  };
}

const send = (command_type: string, payload: object, timeout_seconds = 30) =>
  platform.send({ device_id: 'cp-1', command_type, payload, timeout_seconds });

const outcomeOf = async (command_type: string, payload: object, timeout_seconds?: number) =>
  platform.outcomeOf(await send(command_type, payload, timeout_seconds));

/** Answers the device requests of the tenant as they come. */
async function reply(request_type: string, body: object) {
  const pending = await vi.waitFor(async () => {
    const { items } = (await signedRequest(demo, 'GET', '/api/v1/open/device-requests?status=PENDING')).body;
    const found = items.find((item: { request_type: string }) => item.request_type === request_type);
    expect(found).toBeDefined();
    return found;
  }, WAIT);
  const target = `/api/v1/open/device-requests/${pending.device_request_id}/reply`;
  expect((await signedRequest(demo, 'POST', target, { body })).status).toBe(200);
  return pending;
}

async function replyToAll() {
  const { items } = (await signedRequest(demo, 'GET', '/api/v1/open/device-requests?status=PENDING')).body;
  for (const { device_request_id } of items) {
    const target = `/api/v1/open/device-requests/${device_request_id}/reply`;
    await signedRequest(demo, 'POST', target, { body: { outcome: 'SUCCESS' } });
  }
}

async function booted(point: ReturnType<typeof plugIn>) {
  // Also those that an earlier charge point has left behind.
  const answering = setInterval(() => void replyToAll(), 200);
  await point.logged('authorize Accepted').finally(() => clearInterval(answering));
  return point;
}

test('boot and authorize are device requests: the tenant decides; without its reply a charge point waits', async () => {
  const { stop } = await startAdapter();
  const point = plugIn();
  const boot = await reply('boot', { outcome: 'SUCCESS' });
  expect(boot).toMatchObject({ device_id: 'cp-1', payload: { chargePointModel: 'Model 7' } });
  await point.logged('boot Accepted');
  expect(await reply('authorize', { outcome: 'ERROR' })).toMatchObject({ payload: { idTag: 'tag-1' } });
  await point.logged('authorize Invalid');
  point.unplug();
  await stop();
});

test('each command type reaches the charge point, and its answer is the outcome', async () => {
  const { stop } = await startAdapter();
  const point = await booted(plugIn());
  const accepted = { status: 'SUCCEEDED', result: { status: 'Accepted' } };
  expect(await outcomeOf('reboot', {})).toMatchObject(accepted);
  expect(await outcomeOf('set_availability', { connector_id: 1, available: false })).toMatchObject(accepted);
  expect(await outcomeOf('unlock_connector', { connector_id: 1 })).toMatchObject({ result: { status: 'Unlocked' } });
  expect(await outcomeOf('start_charging', { id_tag: 'tag-1', connector_id: 1 })).toMatchObject(accepted);
  await reply('authorize', { outcome: 'SUCCESS' });
  expect(await reply('transaction_started', { outcome: 'SUCCESS' })).toMatchObject({ payload: { idTag: 'tag-1' } });
  await point.logged('Accepted');
  // This charge point does not implement it.
  expect(await outcomeOf('stop_charging', { transaction_id: 7 })).toMatchObject({
    status: 'UNSUPPORTED',
    device_execution_status: 'NOT_STARTED',
  });
  point.behave('rejecting');
  expect(await outcomeOf('reboot', { hard: true })).toMatchObject({
    status: 'REJECTED',
    device_execution_status: 'REJECTED',
  });
  expect(await outcomeOf('unlock_connector', { connector_id: 1 })).toMatchObject({
    status: 'FAILED',
    status_reason: { code: 'UNLOCK_FAILED' },
  });
  await stop();
});

test('a charge point that is away gets its commands when it dials in; if it does not, it has not got them', async () => {
  const { stop } = await startAdapter();
  expect(await outcomeOf('reboot', {}, 5)).toMatchObject({
    status: 'FAILED',
    adapter_status: 'UNREACHABLE',
    device_execution_status: 'NOT_STARTED',
    status_reason: { code: 'OFFLINE' },
  });
  const waiting = await send('reboot', {}, 60);
  const point = await booted(plugIn());
  expect(await platform.outcomeOf(waiting)).toMatchObject({ status: 'SUCCEEDED' });
  await point.logged('call Reset Soft');
  await stop();
});

test('a slow answer counts; silence and a connection that breaks in the middle are unknown, and never "not started"', async () => {
  const { stop } = await startAdapter();
  const point = await booted(plugIn('slow'));
  expect(await outcomeOf('reboot', {})).toMatchObject({ status: 'SUCCEEDED' });
  point.behave('silent');
  const unknown = { status: 'TIMED_OUT', device_execution_status: expect.stringMatching(/^(TIMED_OUT|UNKNOWN)$/) };
  expect(await outcomeOf('reboot', {}, 6)).toMatchObject(unknown);
  point.unplug();
  const other = await booted(plugIn('disconnecting'));
  expect(await outcomeOf('reboot', {})).toMatchObject({ ...unknown, status_reason: { code: 'NO_ANSWER' } });
  await other.logged('disconnected');
  await stop();
});

test('the adapter killed in the middle: what may come twice is done again, the rest is unknown', async () => {
  const killed = await startAdapter();
  const point = await booted(plugIn('silent'));
  const repeatable = await send('set_availability', { connector_id: 1, available: true }, 120);
  await point.logged('call ChangeAvailability Operative');
  const once = await send('reboot', {}, 120);
  process.kill(killed.pid, 'SIGKILL');
  await killed.exited;
  point.unplug();
  const { stop } = await startAdapter();
  await booted(plugIn());
  // NATS gives them to the next process after 30 seconds.
  const ended = async () => expect((await platform.read(repeatable)).completed_at).not.toBeNull();
  await vi.waitFor(ended, { timeout: 60_000, interval: 250 });
  expect(await platform.outcomeOf(repeatable)).toMatchObject({ status: 'SUCCEEDED' });
  expect(await platform.outcomeOf(once)).toMatchObject({ status: 'TIMED_OUT', status_reason: { code: 'SENT_TWICE' } });
  await stop();
});

test('nobody dials in with a wrong password, and nobody reaches a charge point of another tenant', async () => {
  const { stop } = await startAdapter();
  const point = plugIn('accepting', 'guessed');
  await point.logged('disconnected');
  expect(point.log()).toContain('401');
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /ocpp/%E0%A4%A HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  await once(socket, 'close');
  const foreign = await platform.send({ device_id: 'cp-2' });
  expect(await platform.outcomeOf(foreign)).toMatchObject({
    status: 'REJECTED',
    status_reason: { code: 'UNKNOWN_DEVICE' },
  });
  await stop();
});
