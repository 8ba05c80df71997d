import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { DeviceConnections, OutcomeUnknown, Unreachable } from '../adapter.js';

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

type Options = Parameters<DeviceConnections<string>['waitFor']>[2];

/** Waits for `lamp` with a command of 30 seconds. */
function start(options?: Options, redelivered = false) {
  const devices = new DeviceConnections<string>();
  const overdue = new AbortController();
  const waiting = devices.waitFor('lamp', { signal: overdue.signal, redelivered, remainingMs: 30_000 }, options);
  let ended: unknown;
  void waiting.then(
    (connection) => (ended = connection),
    (error) => (ended = error),
  );
  const after = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    return ended;
  };
  return { devices, overdue, after };
}

test('a command waits for its device, and goes on as soon as it dials in', async () => {
  const { devices, after } = start();
  expect(await after(20_000)).toBeUndefined();
  devices.add('other', 'of another device');
  expect(await after(0)).toBeUndefined();
  devices.add('lamp', 'first');
  expect(await after(0)).toBe('first');
});

test.each<[string, Options, number]>([
  ['five seconds before the deadline', undefined, 25_000],
  ['so long before the deadline as the device takes to answer', { answerMs: 12_000 }, 18_000],
  ['after the time for the connection', { connectMs: 3_000 }, 3_000],
  ['after half of the time, if the device takes longer to answer', { answerMs: 60_000 }, 15_000],
])('a command whose device does not dial in ends as UNREACHABLE %s', async (_, options, ms) => {
  const { after } = start(options);
  expect(await after(ms - 1)).toBeUndefined();
  expect(await after(1)).toBeInstanceOf(Unreachable);
});

test('if an earlier run may have reached the device, a command that finds it offline does not say that nothing happened', async () => {
  const { after } = start({}, true);
  expect(await after(25_000)).toBeInstanceOf(OutcomeUnknown);
});

test('it may have become so while the command waited', async () => {
  const devices = new DeviceConnections<string>();
  const context = { signal: new AbortController().signal, redelivered: false, remainingMs: 30_000 };
  const ended = devices.waitFor('lamp', context).catch((error) => error);
  context.redelivered = true;
  await vi.advanceTimersByTimeAsync(25_000);
  expect(await ended).toBeInstanceOf(OutcomeUnknown);
});

test('a wait ends with the command', async () => {
  const { overdue, after } = start({ answerMs: 0 });
  overdue.abort();
  expect(await after(0)).toBeInstanceOf(Unreachable);
});

test('a command whose deadline has passed gets no connection', async () => {
  const { devices, overdue, after } = start();
  overdue.abort();
  devices.add('lamp', 'late');
  expect(await after(0)).toBeInstanceOf(Unreachable);
});

test('a device has one connection, the last one; the end of an earlier one changes nothing', async () => {
  const { devices, after } = start();
  expect(devices.add('lamp', 'first')).toBeUndefined();
  devices.remove('lamp', 'first');
  // The command has not run yet: it goes on waiting.
  expect(await after(1_000)).toBe(undefined);
  devices.add('lamp', 'second');
  expect(await after(0)).toBe('second');
  expect(devices.add('lamp', 'second')).toBeUndefined();
  expect(devices.add('lamp', 'third')).toBe('second');
  devices.remove('lamp', 'second');
  expect(devices.get('lamp')).toBe('third');
  devices.remove('lamp', 'third');
  expect(devices.get('lamp')).toBeUndefined();
});
