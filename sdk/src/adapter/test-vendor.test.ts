import { setTimeout as delay } from 'node:timers/promises';
import { parseJson } from '@tenant-open-platform/contract/strict-json';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  AdapterError,
  type AdapterEvent,
  type CommandContext,
  DeviceConnections,
  Failed,
  OutcomeUnknown,
  Rejected,
  type TestVendorOptions,
  testVendor,
  Unreachable,
  Unsupported,
} from '../adapter.js';

type Handler = TestVendorOptions['onCommand'];

const start = (onCommand: Handler, options: Partial<TestVendorOptions> = {}) => testVendor({ onCommand, ...options });

const soon = { timeout: 60_000 };
const reboot = { command_type: 'reboot', payload: {} };
const succeeded = { device_execution_status: 'SUCCEEDED' };

/** A handler that runs until the test lets it end, by device. */
function gates() {
  const begun: string[] = [];
  const open = new Map<string, () => void>();
  const onCommand: Handler = ({ device_id }) =>
    new Promise<void>((resolve) => {
      begun.push(device_id);
      open.set(device_id, resolve);
    });
  return { begun, onCommand, end: (device: string) => open.get(device)?.() };
}

test('what the handler returns is the result', async () => {
  const { updates, outcome } = await start(async () => ({ uptime_seconds: 0 })).send(reboot);
  expect(updates).toEqual([
    {
      command_id: expect.any(String),
      device_execution_status: 'SUCCEEDED',
      result: { uptime_seconds: 0 },
      occurred_at: expect.any(String),
    },
  ]);
  expect(outcome).toEqual(updates[0]);
});

test('a handler that returns nothing succeeds without a result', async () => {
  const { outcome } = await start(async () => {}).send(reboot);
  expect(outcome).toMatchObject({ device_execution_status: 'SUCCEEDED' });
  expect(outcome).not.toHaveProperty('result');
});

test.each<[string, unknown, object]>([
  [
    'Rejected',
    new Rejected('NOT_NOW', 'Later.'),
    { adapter_status: 'REJECTED', status_reason: { code: 'NOT_NOW', message: 'Later.' } },
  ],
  ['Failed', new Failed('BROKEN', 'It is broken.'), { device_execution_status: 'FAILED' }],
  [
    'OutcomeUnknown',
    new OutcomeUnknown('NO_ANSWER', 'The PLC did not answer.'),
    { device_execution_status: 'TIMED_OUT', status_reason: { code: 'NO_ANSWER', message: 'The PLC did not answer.' } },
  ],
  ['Unreachable', new Unreachable(), { adapter_status: 'UNREACHABLE', status_reason: { code: 'UNREACHABLE' } }],
  ['Unsupported', new Unsupported(), { adapter_status: 'UNSUPPORTED', status_reason: { code: 'UNSUPPORTED' } }],
])('%s of the handler is the outcome', async (_, thrown, expected) => {
  const { outcome, error } = await start(() => Promise.reject(thrown)).send(reboot);
  expect(outcome).toMatchObject(expected);
  expect(error).toBeUndefined();
});

test('after progress it is the device that refuses, and still the adapter that cannot reach it', async () => {
  const ends = [new Rejected('A', ''), new Failed('B', ''), new Unreachable()];
  const vendor = start(async (_, { progress }) => {
    void progress('DELIVERED');
    throw ends.shift();
  });
  expect(await vendor.send(reboot)).toMatchObject({
    updates: [{ adapter_status: 'DELIVERED' }, { device_execution_status: 'REJECTED', status_reason: { code: 'A' } }],
  });
  expect(await vendor.send(reboot)).toMatchObject({ outcome: { device_execution_status: 'FAILED' } });
  expect(await vendor.send(reboot)).toMatchObject({ outcome: { adapter_status: 'UNREACHABLE' } });
});

test('after any other error the outcome is unknown, and only the log sees the error', async () => {
  const log = vi.fn();
  const failure = new Error('connect ECONNREFUSED 10.0.0.7:1883');
  const { outcome, error } = await start(() => Promise.reject(failure), { log }).send(reboot);
  expect(outcome).toMatchObject({ device_execution_status: 'TIMED_OUT', status_reason: { code: 'ADAPTER_ERROR' } });
  expect(JSON.stringify(outcome)).not.toContain('10.0.0.7');
  expect(error).toBe(failure);
  expect(log).toHaveBeenCalledWith(expect.objectContaining({ level: 'error', event: 'failed', error: failure }));
});

test('the log has the cause of an outcome, and a line without a stack for a handler that waited until the deadline', async () => {
  stopClock();
  const events: AdapterEvent[] = [];
  const log = (event: AdapterEvent) => void (event.level !== 'debug' && events.push(event));
  const cause = new Error('connect ECONNREFUSED 10.0.0.7:502');
  await start(() => Promise.reject(new Unreachable(undefined, undefined, { cause })), { log }).send(reboot);
  await start(() => Promise.reject(new Unreachable()), { log }).send(reboot);
  const waiting: Handler = (_, { signal }) => delay(60_000, undefined, { signal });
  await start(waiting, { log }).send(reboot, { timeoutMs: 20 });
  const unanswered: Handler = (_, { signal }) =>
    delay(60_000, undefined, { signal }).catch((silence) => {
      throw new OutcomeUnknown('NO_ANSWER', 'No answer.', { cause: new Error('timed out', { cause: silence }) });
    });
  await start(unanswered, { log }).send(reboot, { timeoutMs: 20 });
  await start(async () => ({ temperature: Number.NaN }), { log }).send(reboot);
  expect(events).toMatchObject([
    { level: 'warn', message: expect.stringContaining('ended as UNREACHABLE'), error: cause },
    { level: 'warn', message: expect.stringContaining('ended as TIMED_OUT: there was no outcome before the deadline') },
    { level: 'warn', message: expect.stringContaining('ended as TIMED_OUT: there was no outcome before the deadline') },
    { level: 'warn', message: expect.stringContaining('"temperature" is NaN') },
  ]);
  for (const event of events.slice(1, 3)) expect(event).not.toHaveProperty('error');
});

test('an error of another copy of the package is recognised', async () => {
  const secondCopy = './errors.js?copy';
  const other: typeof import('./errors.js') = await import(secondCopy);
  const error = new other.Rejected('NOT_NOW', 'Later.');
  expect(error).not.toBeInstanceOf(AdapterError);
  expect(await start(() => Promise.reject(error)).send(reboot)).toMatchObject({
    outcome: { adapter_status: 'REJECTED' },
  });
});

const circular: Record<string, unknown> = {};
circular.self = circular;

const nested = (levels: number): object => (levels === 1 ? {} : { in: nested(levels - 1) });

test.each<[string, unknown]>([
  ['larger than 32 KiB', { log: 'ä'.repeat(16_400) }],
  ['not JSON', circular],
  ['not an object', ['a list']],
  ['not an object', new Date()],
  ['NUL', { text: 'a\0b' }],
  ['a lone surrogate', { text: '\ud83d' }],
  ['a lone surrogate', { '\ude00': 1 }],
  ['__proto__', JSON.parse('{ "in": { "__proto__": 1 } }')],
  ['"C" is NaN', { F: [1], C: Number.NaN }],
  ['"0" is -Infinity', { list: [-Infinity] }],
  ['"ports" is a Map', { ports: new Map() }],
  ['"ports" is a Set', { ports: new Set([1]) }],
  ['an integer must be within', { count: 2 ** 53 }],
  ['nested deeper', nested(32)],
])('a result that is %s is left out: the device has executed the command', async (problem, result) => {
  const { outcome } = await start(async () => result as object).send(reboot);
  expect(outcome).toMatchObject({ device_execution_status: 'SUCCEEDED', status_reason: { code: 'RESULT_INVALID' } });
  expect(outcome?.status_reason?.message).toContain(problem);
  expect(outcome).not.toHaveProperty('result');
});

test('a result may have 31 levels: with the update they are 32', async () => {
  const result = nested(31);
  const update = { device_execution_status: 'SUCCEEDED', result };
  expect(parseJson(Buffer.from(JSON.stringify(update)))).toEqual({ value: update });
  expect(await start(async () => result).send(reboot)).toMatchObject({ outcome: update });
});

test.each<[string, [unknown, unknown], object]>([
  ['missing', [undefined, undefined], { code: 'REJECTED', message: '' }],
  ['a number', [404, 7], { code: '404', message: '7' }],
  ['text with NUL', ['\0', 'a\0b'], { code: 'REJECTED', message: 'ab' }],
  ['cut in a surrogate pair', ['A', `${'y'.repeat(1_023)}😀`], { code: 'A', message: `${'y'.repeat(1_023)}\ufffd` }],
])('a code and a message that are %s become text that the platform takes', async (_, [code, message], expected) => {
  const thrown = new Rejected(code as string, message as string);
  const { outcome } = await start(() => Promise.reject(thrown)).send(reboot);
  expect(outcome).toMatchObject({ adapter_status: 'REJECTED', status_reason: expected });
});

test('after an error that cannot be read the outcome is unknown', async () => {
  const thrown = new Rejected('A', '');
  Object.defineProperty(thrown, 'code', {
    get() {
      throw new Error('There is no code.');
    },
  });
  const vendor = start(() => Promise.reject(thrown));
  const { outcome, error } = await vendor.send(reboot);
  expect(outcome).toMatchObject({ device_execution_status: 'TIMED_OUT', status_reason: { code: 'ADAPTER_ERROR' } });
  expect(error).toMatchObject({ message: 'There is no code.' });
  expect(vendor.counters).toMatchObject({ running: 0, outcomes: { TIMED_OUT: 1 } });
});

test('a long reason is cut to what the platform takes', async () => {
  const { outcome } = await start(() => Promise.reject(new Failed('X'.repeat(200), 'y'.repeat(2_000)))).send(reboot);
  expect(outcome?.status_reason).toEqual({ code: 'X'.repeat(128), message: 'y'.repeat(1_024) });
});

/** A busy machine can pause the test longer than its command lasts. Real timers still end the command. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

test('the signal is aborted at the deadline, and a handler that gives up then is TIMED_OUT', async () => {
  stopClock();
  const vendor = start(
    (_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  );
  const { outcome } = await vendor.send(reboot, { timeoutMs: 20 });
  expect(outcome).toMatchObject({ device_execution_status: 'TIMED_OUT', status_reason: { code: 'DEADLINE_EXCEEDED' } });
});

test('a result after the deadline is still reported', async () => {
  stopClock();
  const onCommand: Handler = (_, { signal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve({ done: true })));
  const { outcome } = await start(onCommand).send(reboot, { timeoutMs: 20 });
  expect(outcome).toMatchObject({ device_execution_status: 'SUCCEEDED', result: { done: true } });
});

test('a command that is delivered again, while it runs and afterwards, runs once and is acknowledged each time', async () => {
  const { begun, onCommand, end } = gates();
  const vendor = start(onCommand);
  const command = { ...reboot, command_id: 'c1' };
  const deliveries = [vendor.send(command), vendor.send(command, { redelivered: true })];
  await vi.waitFor(() => expect(begun).toHaveLength(1), soon);
  end('test-device');
  await Promise.all(deliveries);
  const again = await vendor.send(command, { redelivered: true });
  expect(begun).toHaveLength(1);
  // NATS may have lost the outcome: it is reported again.
  expect(again.updates).toEqual([again.outcome, again.outcome]);
  expect(vendor.counters).toMatchObject({ started: 1, repeated: 2, outcomes: { SUCCEEDED: 1 } });
});

test('a command is remembered until its deadline: afterwards it is not started anyway', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const vendor = start(async () => {});
  const command = { ...reboot, command_id: 'c1', deadline_at: new Date(Date.now() + 60_000).toISOString() };
  await vendor.send(command);
  await vi.advanceTimersByTimeAsync(59_000);
  await vendor.send(command);
  expect(vendor.counters).toMatchObject({ started: 1, repeated: 1, expired: 0 });
  await vi.advanceTimersByTimeAsync(11_000);
  await vendor.send(command);
  expect(vendor.counters).toMatchObject({ started: 1, repeated: 1, expired: 1 });
});

test('the handler learns that a run before may have begun', async () => {
  const seen: boolean[] = [];
  const vendor = start(async (_, { redelivered }: CommandContext) => void seen.push(redelivered));
  await vendor.send(reboot);
  await vendor.send(reboot, { redelivered: true });
  expect(seen).toEqual([false, true]);
});

test('so many handlers run at once, and no more', async () => {
  const { begun, onCommand, end } = gates();
  const vendor = start(onCommand, { concurrency: 2 });
  const ended = ['a', 'b', 'c'].map((device_id) => vendor.send({ ...reboot, device_id }));
  await vi.waitFor(() => expect(begun).toEqual(['a', 'b']), soon);
  expect(vendor.counters).toMatchObject({ running: 2, waiting: 1 });
  end('a');
  await vi.waitFor(() => expect(begun).toEqual(['a', 'b', 'c']), soon);
  end('b');
  end('c');
  await Promise.all(ended);
  expect(vendor.counters).toMatchObject({ running: 0, waiting: 0, started: 3 });
});

test('onePerDevice: a device gets its commands one after the other, in order; others and other tenants do not wait', async () => {
  const running = new Map<string, number>();
  const order: string[] = [];
  const onCommand: Handler = async ({ tenant_id, device_id, payload }) => {
    const device = `${tenant_id}/${device_id}`;
    expect(running.get(device) ?? 0).toBe(0);
    running.set(device, 1);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
    order.push(`${device} ${payload.n}`);
    running.set(device, 0);
  };
  const vendor = start(onCommand, { onePerDevice: true, concurrency: 4 });
  const sent = Array.from({ length: 60 }, (_, n) =>
    vendor.send({ ...reboot, tenant_id: n % 2 ? 'a' : 'b', device_id: `d${n % 3}`, payload: { n } }),
  );
  const outcomes = await Promise.all(sent);
  expect(outcomes.filter(({ outcome }) => outcome?.device_execution_status !== 'SUCCEEDED')).toEqual([]);
  for (const device of ['a/d0', 'a/d1', 'b/d2']) {
    const own = order.filter((entry) => entry.startsWith(`${device} `)).map((entry) => Number(entry.split(' ')[1]));
    expect(own).toEqual(own.toSorted((one, other) => one - other));
  }
});

test('stop gives back what has not begun, and waits for what has', async () => {
  const { begun, onCommand, end } = gates();
  const vendor = testVendor({ onCommand, concurrency: 1 });
  const running = vendor.send({ ...reboot, device_id: 'a' });
  const waiting = vendor.send({ ...reboot, device_id: 'b' });
  await vi.waitFor(() => expect(begun).toEqual(['a']), soon);
  let isStopped = false;
  const stopped = vendor.stop().then(() => {
    isStopped = true;
  });
  expect(await waiting).toMatchObject({ outcome: null });
  expect(isStopped).toBe(false);
  end('a');
  await stopped;
  expect(await running).toMatchObject({ outcome: { device_execution_status: 'SUCCEEDED' } });
  expect(await vendor.send(reboot)).toMatchObject({ outcome: null });
});

test('stop gives back at once what waits for its device, and counts it as not begun', async () => {
  const online = new DeviceConnections<true>();
  const vendor = testVendor({
    async onCommand({ device_id }, context) {
      await online.waitFor(device_id, context);
      return { sent: true };
    },
  });
  const waiting = [1, 2, 3].map((n) => vendor.send({ ...reboot, device_id: `away-${n}` }));
  await vi.waitFor(() => expect(vendor.counters.running).toBe(3), soon);
  await vendor.stop();
  for (const sent of await Promise.all(waiting)) expect(sent).toEqual({ updates: [], outcome: null });
  expect(vendor.counters).toMatchObject({ running: 0, started: 0 });
});

test('what has told progress, or has had its device, has begun: a stop does not end its wait', async () => {
  const online = new DeviceConnections<true>();
  const vendor = testVendor({
    async onCommand({ device_id, payload }, context) {
      if (payload.tells) await context.progress('IN_PROGRESS');
      else await online.waitFor('hub', context);
      await online.waitFor(device_id, context);
    },
  });
  online.add('hub', true);
  const sent = [true, false].map((tells) => vendor.send({ ...reboot, device_id: 'away', payload: { tells } }));
  await vi.waitFor(() => expect(vendor.counters.started).toBe(2), soon);
  const stopped = vendor.stop();
  online.add('away', true);
  await stopped;
  for (const { outcome } of await Promise.all(sent)) expect(outcome).toMatchObject(succeeded);
});

test('a handler learns how much time is left', async () => {
  const left: number[] = [];
  const vendor = start(async (_, { remainingMs }) => void left.push(remainingMs));
  await vendor.send(reboot, { timeoutMs: 5_000 });
  expect(left[0]).toBeGreaterThan(0);
  expect(left[0]).toBeLessThanOrEqual(5_000);
});

test('a request of a device gets the reply of the test, and the same request is sent once', async () => {
  const vendor = start(async () => {}, {
    reply: ({ request_type }) => (request_type === 'firmware_check' ? { payload: { version: '2.4.1' } } : null),
  });
  const request = { device_id: 'd', request_type: 'firmware_check', payload: {}, dedupe_id: 'd-1' };
  const answers = await Promise.all([vendor.request(request), vendor.request(request)]);
  for (const answer of answers) expect(answer).toMatchObject({ outcome: 'SUCCESS', payload: { version: '2.4.1' } });
  // The platform has replied to it. It does not reply a second time.
  expect(await vendor.request(request)).toBeNull();
  expect(await vendor.request({ ...request, tenant_id: 'other' })).toMatchObject({ outcome: 'SUCCESS' });
  expect(await vendor.request({ ...request, device_id: 'e' })).toMatchObject({ outcome: 'SUCCESS', device_id: 'e' });
  expect(await vendor.request({ ...request, request_type: 'other', dedupe_id: 'd-2' })).toBeNull();
  expect(vendor.requests.map(({ tenant_id, dedupe_id }) => [tenant_id, dedupe_id])).toEqual([
    ['test-tenant', 'd-1'],
    ['other', 'd-1'],
    ['test-tenant', 'd-1'],
    ['test-tenant', 'd-2'],
  ]);
});

test('a request that serveVendor would refuse is refused, and after the stop every request', async () => {
  const vendor = start(async () => {});
  const request = { device_id: 'd', request_type: 'firmware_check', payload: {}, dedupe_id: 'with space' };
  await expect(vendor.request(request)).rejects.toThrow('dedupe_id');
  await expect(vendor.request({ ...request, dedupe_id: 'd-1', payload: { text: '\0' } })).rejects.toThrow('payload');
  await vendor.stop();
  await expect(vendor.request({ ...request, dedupe_id: 'd-1' })).rejects.toThrow('stopped');
  expect(vendor.requests).toEqual([]);
});

test('the payload has the type of its command type', async () => {
  type Commands = { reboot: object; set_power: { power: 'on' | 'off' } };
  const vendor = testVendor<Commands>({
    async onCommand(command) {
      if (command.command_type === 'set_power') return { power: command.payload.power };
      // @ts-expect-error A reboot has no power.
      return { power: command.payload.power };
    },
  });
  // @ts-expect-error There is no power 'dim'.
  await vendor.send({ command_type: 'set_power', payload: { power: 'dim' } });
});

test('an error of the log hook changes no outcome', async () => {
  const log = () => {
    throw new Error('The log is full.');
  };
  expect(await start(async () => {}, { log }).send(reboot)).toMatchObject({ outcome: {} });
});
