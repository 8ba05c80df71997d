import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, nkeyAuthenticator } from '@nats-io/transport-node';
import { atEnd, signedRequest, temporaryFolder } from '@tenant-open-platform/testing';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startPlatform } from '../vendor-adapter/start-platform.js';
import { installChargePoints } from './install-charge-points.js';

const COUNT = 200;
const WAIT = { timeout: 60_000, interval: 50 };
/** No command may end at its deadline: NATS waits before it gives those of a killed adapter to the next one. */
const LONG_SECONDS = 150;

const folder = temporaryFolder();
const [platform, python] = await Promise.all([startPlatform(), installChargePoints(folder)]);
const { admin, demo } = platform;
const port = await freePort();

type ChargePoint = { identity: string; password: string; version: 'ocpp1.6' | 'ocpp2.0.1'; is_silent?: boolean };
const chargePoints = Array.from({ length: COUNT }, (_, index): ChargePoint => {
  const version = index % 2 ? 'ocpp2.0.1' : 'ocpp1.6';
  const identity = `cp-${String(index).padStart(3, '0')}`;
  return { identity, password: `password-of-${identity}`, version };
});
const file = join(folder, 'charge-points.json');
const known = chargePoints.map(({ identity, password }) => [identity, { tenant_id: 'demo', password }]);
writeFileSync(file, JSON.stringify(Object.fromEntries(known)));

const types: Record<string, object> = {
  reboot: { hard: { type: 'boolean' } },
  set_availability: { connector_id: { type: 'integer' }, available: { type: 'boolean' } },
};
for (const [type, properties] of Object.entries(types)) {
  const body = { description: type, payload_schema: { type: 'object', properties } };
  const path = `/api/v1/platform/catalog/vendors/vendor_a/command-types/${type}`;
  expect((await signedRequest(admin, 'PUT', path, { body })).status).toBe(200);
}

async function startAdapter() {
  const adapter = await platform.startAdapter({
    argv: [process.execPath, '--import', 'tsx', join(import.meta.dirname, 'adapter.ts')],
    // The note of a restart stays in the folder of all tests: also a killed adapter has that of an earlier one.
    environment: { OCPP_PORT: String(port), CHARGE_POINTS_FILE: file },
  });
  await adapter.logged('Serving vendor_a for demo.');
  const kill = async () => {
    process.kill(adapter.pid, 'SIGKILL');
    await adapter.exited;
  };
  return { ...adapter, kill };
}

/** PyPI's `ocpp` as so many charge points. */
function dialIn(points: readonly ChargePoint[]) {
  const dialling = join(folder, 'dialling.json');
  writeFileSync(dialling, JSON.stringify(points));
  const program = join(import.meta.dirname, 'charge_points.py');
  const process = spawn(python, [program, `ws://127.0.0.1:${port}/ocpp`, dialling], { stdio: 'pipe' });
  const exited = once(process, 'exit');
  let log = '';
  for (const output of [process.stdout, process.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  }
  onTestFinished(() => void process.kill('SIGKILL'));
  const said = (word: string) => log.split('\n').filter((line) => line.startsWith(`${word} `));
  return {
    /** The calls that this charge point got. */
    callsOf: (identity: string) => said('call').filter((line) => line.split(' ')[1] === identity),
    calls: () => said('call').length,
    online: () => vi.waitFor(() => expect(said('online'), log).toHaveLength(points.length), WAIT),
    hangUp: async () => {
      process.kill('SIGKILL');
      await exited;
    },
    exited,
  };
}

/** The charge points are known, and away. */
async function dialInOnce(): Promise<void> {
  const points = dialIn(chargePoints);
  await points.online();
  await points.hangUp();
}

/** Half of them may come twice, and half must not; of each half, half are for OCPP 1.6. */
const typeOf = (index: number) => (index % 4 < 2 ? 'reboot' : 'set_availability');

const sendToAll = (timeout_seconds: number) =>
  Promise.all(
    chargePoints.map(async ({ identity: device_id }, index) => {
      const command_type = typeOf(index);
      const payload = command_type === 'reboot' ? {} : { connector_id: 0, available: true };
      return platform.send({ device_id, command_type, payload, timeout_seconds });
    }),
  );

async function ended(commandId: string) {
  for (;;) {
    const target = `/api/v1/open/downlink/commands/${commandId}?wait_seconds=20`;
    const { body } = await signedRequest(demo, 'GET', target);
    if (body.completed_at) return body;
  }
}

/** The commands that NATS has given to the adapter, and that it has not acknowledged. */
const seed = platform.platformUser.getSeed();
const nats = await connect({ servers: platform.nats.url, authenticator: nkeyAuthenticator(seed) });
atEnd(() => nats.close());
const { consumers } = await jetstreamManager(nats);

async function allWait(): Promise<void> {
  const waiting = async () => {
    const [durable] = await consumers.list('TOP_COMMANDS').next();
    expect(durable).toMatchObject({ num_ack_pending: COUNT, num_pending: 0 });
  };
  await vi.waitFor(waiting, WAIT);
}

/** What the platform says of each command, and how often its charge point got it, in any run of the charge points. */
async function verdicts(commands: string[], runs: Pick<ReturnType<typeof dialIn>, 'callsOf'>[]) {
  const all: { type: string; status: string; code?: string; device: string; calls: number }[] = [];
  for (const [index, { identity }] of chargePoints.entries()) {
    const { status, status_reason, device_execution_status: device } = await ended(commands[index] as string);
    const calls = runs.reduce((sum, { callsOf }) => sum + callsOf(identity).length, 0);
    all.push({ type: typeOf(index), status, code: status_reason?.code, device, calls });
  }
  return all;
}

/** How many there are of each kind. */
function tally(all: Awaited<ReturnType<typeof verdicts>>): Record<string, number> {
  const kinds: Record<string, number> = {};
  for (const { type, status, code = '-', calls } of all) {
    const kind = `${type}: ${status} ${code}, ${calls} calls`;
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}

const devicesIn = (log: string) => log.match(/cp-\d{3}/g) ?? [];

test('200 charge points away, 200 commands waiting, one restart of the adapter, they come back: 200 SUCCEEDED', async () => {
  const first = await startAdapter();
  await dialInOnce();
  const commands = await sendToAll(LONG_SECONDS);
  await allWait();
  await first.stop();
  const second = await startAdapter();
  await allWait();
  const points = dialIn(chargePoints);
  const all = await verdicts(commands, [points]);
  expect(tally(all)).toEqual({
    'reboot: SUCCEEDED -, 1 calls': COUNT / 2,
    'set_availability: SUCCEEDED -, 1 calls': COUNT / 2,
  });
  await points.hangUp();
  await second.stop();
  expect(devicesIn(first.log() + second.log())).toEqual([]);
});

test('the adapter killed while 200 wait: what may come twice is executed once, the rest is unknown and was never sent', async () => {
  const first = await startAdapter();
  await dialInOnce();
  const commands = await sendToAll(LONG_SECONDS);
  await allWait();
  await first.kill();
  const second = await startAdapter();
  const points = dialIn(chargePoints);
  const all = await verdicts(commands, [points]);
  expect(tally(all)).toEqual({
    'reboot: TIMED_OUT SENT_TWICE, 0 calls': COUNT / 2,
    'set_availability: SUCCEEDED -, 1 calls': COUNT / 2,
  });
  await points.hangUp();
  await second.stop();
});

test('the adapter killed while they come back: no outcome is a lie, and no charge point reboots twice', async () => {
  const first = await startAdapter();
  await dialInOnce();
  const commands = await sendToAll(LONG_SECONDS);
  await allWait();
  const before = dialIn(chargePoints);
  await vi.waitFor(() => expect(before.calls()).toBeGreaterThan(COUNT / 4), { ...WAIT, interval: 1 });
  await first.kill();
  await before.exited;
  const second = await startAdapter();
  const after = dialIn(chargePoints);
  const all = await verdicts(commands, [before, after]);
  const lies = all.filter(
    ({ type, status, device, calls }) =>
      (status === 'SUCCEEDED' && calls === 0) ||
      (device === 'NOT_STARTED' && calls > 0) ||
      calls > (type === 'reboot' ? 1 : 2),
  );
  expect(lies).toEqual([]);
  const others = all.filter(({ status, code }) => status !== 'SUCCEEDED' && code !== 'SENT_TWICE');
  expect(others).toEqual([]);
  await after.hangUp();
  await second.stop();
});

test('one line of the log for each silent charge point, and none for the others', async () => {
  const { log, stop } = await startAdapter();
  const points = dialIn(chargePoints.map((point, index) => ({ ...point, is_silent: index < 40 })));
  await points.online();
  const all = await verdicts(await sendToAll(20), [points]);
  // The adapter or the platform is the first to say it.
  const silent = chargePoints.filter((_, index) => index < 40 && typeOf(index) === 'reboot');
  expect(all.filter(({ status, calls }) => status === 'TIMED_OUT' && calls === 1)).toHaveLength(silent.length);
  expect(all.filter(({ status, calls }) => status === 'SUCCEEDED' && calls === 1)).toHaveLength(COUNT - silent.length);
  await points.hangUp();
  await stop();
  expect(devicesIn(log()).sort()).toEqual(silent.map(({ identity }) => identity));
});
