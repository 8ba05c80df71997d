import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type AdapterEvent, type TestVendorOptions, testVendor } from '../adapter.js';
import { noCounts } from './command-handler.js';
import { CommandRunner } from './command-runner.js';
import { Pulse } from './pulse.js';

type Handler = TestVendorOptions['onCommand'];

const reboot = { command_type: 'reboot', payload: {} };
const succeeded = { outcome: { device_execution_status: 'SUCCEEDED' } };
const busy = { outcome: { adapter_status: 'UNREACHABLE', status_reason: { code: 'ADAPTER_BUSY' } } };
const timeoutMs = 60_000;

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

/** Devices whose id begins with `silent` never answer; the others answer after 50 ms. */
const onCommand: Handler = ({ device_id }, { signal }) =>
  new Promise((resolve, reject) => {
    if (!device_id.startsWith('silent')) setTimeout(resolve, 50, {});
    signal.addEventListener('abort', () => reject(signal.reason));
  });

function start(options: Partial<TestVendorOptions> = {}) {
  const events: AdapterEvent[] = [];
  const vendor = testVendor({ onCommand, log: (event) => void events.push(event), ...options });
  const send = (count: number, fields: object, options = { timeoutMs }) =>
    Array.from({ length: count }, (_, n) => vendor.send({ ...reboot, device_id: `d-${n}`, ...fields }, options));
  return { vendor, send, warnings: () => events.filter(({ event }) => event === 'busy') };
}

const all = (sent: Promise<unknown>[]) => Promise.all(sent);
const times = <Value>(count: number, value: Value) => Array.from({ length: count }, () => value);

test('default settings, 500 devices of which 2 % are silent, four commands each: every healthy device succeeds', async () => {
  const { vendor, send, warnings } = start();
  const healthy: Promise<unknown>[] = [];
  for (let round = 0; round < 4; round += 1) {
    for (let n = 0; n < 10; n += 1) void send(1, { device_id: `silent-${n}` });
    healthy.push(...send(490, {}));
    await vi.advanceTimersByTimeAsync(500);
  }
  expect(await all(healthy)).toMatchObject(times(healthy.length, succeeded));
  await vi.advanceTimersByTimeAsync(timeoutMs);
  expect(vendor.counters).toMatchObject({ running: 0, waiting: 0, expired: 0, outcomes: { TIMED_OUT: 40 } });
  expect(warnings()).toEqual([]);
});

test('onePerDevice, 300 commands to one silent device: others succeed at once; those that waited end as ADAPTER_BUSY before the deadline', async () => {
  const { vendor, send, warnings } = start({ onePerDevice: true });
  const silent = send(300, { device_id: 'silent' });
  const healthy = send(40, {});
  await vi.advanceTimersByTimeAsync(50);
  expect(await all(healthy)).toMatchObject(times(40, succeeded));
  expect(vendor.counters).toMatchObject({ running: 1, waiting: 299 });
  await vi.advanceTimersByTimeAsync(timeoutMs - 2_000);
  expect(await all(silent.slice(1))).toMatchObject(times(299, busy));
  expect(warnings()).toMatchObject([{ level: 'warn', tenant_id: 'test-tenant', device_id: 'silent' }]);
});

test('a device leaves places to others, however many commands it gets', async () => {
  const { vendor, send } = start({ concurrency: 16 });
  void send(100, { device_id: 'silent-1' });
  void send(100, { device_id: 'silent-2' });
  expect(vendor.counters).toMatchObject({ running: 12, waiting: 188 });
  const healthy = send(40, {});
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await all(healthy)).toMatchObject(times(40, succeeded));
});

test('an adapter of every tenant: the silent devices of a tenant leave places to another', async () => {
  const { vendor, send } = start({ concurrency: 16, tenantId: 'platform' });
  for (let n = 0; n < 100; n += 1) void send(1, { tenant_id: 'demo', device_id: `silent-${n}` });
  expect(vendor.counters).toMatchObject({ running: 8, waiting: 92 });
  const healthy = send(20, { tenant_id: 'acme' });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await all(healthy)).toMatchObject(times(20, succeeded));
});

test('an adapter of one tenant uses all places for its devices, and says once who has the most', async () => {
  const { vendor, send, warnings } = start({ concurrency: 16 });
  for (let n = 0; n < 20; n += 1) void send(n === 0 ? 2 : 1, { device_id: `silent-${n}` });
  expect(vendor.counters).toMatchObject({ running: 16 });
  expect(warnings()).toMatchObject([{ message: expect.stringContaining('All 16 places'), device_id: 'silent-0' }]);
});

test('so many wait that a device or tenant has its share: its further commands end at once, those of others wait', async () => {
  const { vendor, send, warnings } = start({ onePerDevice: true });
  const silent = send(2_100, { device_id: 'silent' });
  expect(vendor.counters).toMatchObject({ running: 1, waiting: 2_048 });
  expect(await all(silent.slice(2_049))).toMatchObject(times(51, busy));
  const other = send(2, { device_id: 'other' });
  await vi.advanceTimersByTimeAsync(100);
  expect(await all(other)).toMatchObject(times(2, succeeded));
  expect(warnings()).toHaveLength(1);
});

test('a waiting command that an earlier process may have started does not end as if the device had done nothing', async () => {
  const { vendor, send } = start({ onePerDevice: true });
  void send(1, { device_id: 'silent' });
  const again = vendor.send({ ...reboot, device_id: 'silent' }, { timeoutMs, redelivered: true });
  await vi.advanceTimersByTimeAsync(timeoutMs);
  expect(await again).toMatchObject({
    outcome: { device_execution_status: 'TIMED_OUT', status_reason: { code: 'ADAPTER_BUSY' } },
  });
});

test('a command that comes after its deadline is reported as not started, unless an earlier run may have begun', async () => {
  const run = vi.fn(onCommand);
  const { vendor } = start({ onCommand: run });
  expect(await vendor.send(reboot, { timeoutMs: 0 })).toMatchObject({
    outcome: { adapter_status: 'UNREACHABLE', status_reason: { code: 'NOT_STARTED' } },
  });
  expect(await vendor.send(reboot, { timeoutMs: 0, redelivered: true })).toEqual({ updates: [], outcome: null });
  expect(run).not.toHaveBeenCalled();
  expect(vendor.counters).toMatchObject({ started: 0, expired: 2, waiting: 0 });
});

test('a command that comes after its deadline is reported as not started, also while its device is busy', async () => {
  const { vendor, send } = start({ onePerDevice: true });
  void send(1, { device_id: 'silent' });
  const late = send(1, { device_id: 'silent' }, { timeoutMs: -1 });
  await vi.advanceTimersByTimeAsync(0);
  expect(await all(late)).toMatchObject([{ outcome: { status_reason: { code: 'NOT_STARTED' } } }]);
  expect(vendor.counters).toMatchObject({ started: 1, expired: 1, waiting: 0 });
});

test('what waits while the process is frozen past its deadline does not start when it wakes', async () => {
  vi.useRealTimers();
  const ran: string[] = [];
  const { vendor } = start({
    onePerDevice: true,
    async onCommand({ payload: { name } }) {
      ran.push(`${name}`);
      // No timer fires meanwhile.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    },
  });
  const send = (name: string, options = {}) =>
    vendor.send({ command_type: 'reboot', payload: { name }, device_id: 'd-1' }, options);
  const [, frozen] = await all([send('first'), send('frozen', { timeoutMs: 500 })]);
  expect(ran).toEqual(['first']);
  expect(frozen).toMatchObject({ outcome: { status_reason: { code: 'NOT_STARTED' } } });
});

test('a command with little time left waits for half of it', async () => {
  const { vendor, send } = start({ onePerDevice: true });
  void send(1, { device_id: 'silent' });
  const [second] = send(1, { device_id: 'silent' }, { timeoutMs: 20 });
  await vi.advanceTimersByTimeAsync(9);
  expect(vendor.counters).toMatchObject({ waiting: 1 });
  await vi.advanceTimersByTimeAsync(1);
  expect(await second).toMatchObject(busy);
});

test('a handler that never ends loses its place after its deadline: its device gets its next command, and the log names it', async () => {
  const log = vi.fn();
  const run: Handler = ({ payload }) => (payload.hangs ? new Promise<void>(() => {}) : Promise.resolve());
  const { vendor, send } = start({ onCommand: run, onePerDevice: true, log });
  void send(1, { device_id: 'one', payload: { hangs: true } });
  const [second] = send(1, { device_id: 'one' });
  await vi.advanceTimersByTimeAsync(timeoutMs - 1_000);
  expect(await second).toMatchObject(busy);
  const [third] = send(1, { device_id: 'one' });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await third).toMatchObject(succeeded);
  expect(vendor.counters).toMatchObject({ running: 0, waiting: 0 });
  const overdue = log.mock.calls.filter(([{ event }]) => event === 'overdue');
  expect(overdue).toMatchObject([[{ level: 'warn', device_id: 'one' }]]);
});

test('a stop does not wait for handlers that go on past their deadlines, and names them in one line', async () => {
  const log = vi.fn();
  const run: Handler = ({ device_id }) =>
    device_id.startsWith('hangs') ? new Promise<void>(() => {}) : Promise.resolve();
  const { vendor, send } = start({ onCommand: run, log });
  void send(1, { device_id: 'hangs-1' });
  void send(1, { device_id: 'hangs-2' });
  await vi.advanceTimersByTimeAsync(1_000);
  let isStopped = false;
  const stopped = vendor.stop().then(() => {
    isStopped = true;
  });
  await vi.advanceTimersByTimeAsync(timeoutMs - 2_000);
  expect(isStopped).toBe(false);
  await vi.advanceTimersByTimeAsync(5_000);
  await stopped;
  const lines = log.mock.calls.map(([{ message }]) => message).filter((line: string) => line.startsWith('Stops'));
  expect(lines).toEqual([expect.stringMatching(/hangs-1 .*hangs-2 /)]);
});

test('what such a handler tells after all is reported', async () => {
  let end = () => {};
  const { vendor, send } = start({ onCommand: () => new Promise<void>((resolve) => (end = resolve)) });
  const [sent] = send(1, {});
  await vi.advanceTimersByTimeAsync(timeoutMs + 5_000);
  expect(await sent).toEqual({ updates: [], outcome: null });
  end();
  await vi.advanceTimersByTimeAsync(0);
  expect(vendor.counters).toMatchObject({ running: 0, outcomes: { SUCCEEDED: 1 } });
  expect((await sent)?.updates).toMatchObject([succeeded.outcome]);
});

test('the devices of a tenant take turns: one with many waiting commands does not keep another from its first', async () => {
  const begun: string[] = [];
  const turn: Handler = async ({ device_id }) => {
    begun.push(device_id);
    await new Promise((resolve) => setTimeout(resolve, 10));
  };
  const { send } = start({ onCommand: turn, concurrency: 1 });
  void send(5, { device_id: 'a' });
  void send(1, { device_id: 'b' });
  await vi.advanceTimersByTimeAsync(25);
  expect(begun).toEqual(['a', 'a', 'b']);
});

test('NATS hears of a waiting command every 2 seconds, and delivers it to nobody else', async () => {
  const runner = new CommandRunner({
    onCommand,
    concurrency: 1,
    onePerDevice: true,
    isShared: false,
    counters: noCounts(),
    log() {},
    pulse: new Pulse(() => {}),
    report: async () => {},
  });
  const deliver = (command_id: string) => {
    const at = new Date().toISOString();
    const of = { command_id, tenant_id: 'demo', vendor: 'vendor_a', device_id: 'silent' };
    const command = { ...reboot, ...of, accepted_at: at, deadline_at: at, remaining_ms: 0 };
    const told = { acknowledge: vi.fn(), stillWorking: vi.fn(), giveBack: vi.fn() };
    runner.take({ command, leftMs: timeoutMs, count: 1, redelivered: false, isFirst: true, ...told });
    return told;
  };
  deliver('running');
  const waiting = deliver('waiting');
  await vi.advanceTimersByTimeAsync(50_000);
  expect(waiting.stillWorking).toHaveBeenCalledTimes(25);
  expect(waiting.acknowledge).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(timeoutMs);
  expect(waiting.acknowledge).toHaveBeenCalledTimes(1);
  await runner.giveBack();
  await runner.ended();
  expect(waiting.giveBack).not.toHaveBeenCalled();
});
