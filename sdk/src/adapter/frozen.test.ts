import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { DeviceConnections, Failed, Rejected, Unreachable, Unsupported } from '../adapter.js';
import type { RunnerOptions } from './command-delivery.js';
import { type CommandHandler, noCounts } from './command-handler.js';
import { CommandRunner } from './command-runner.js';
import { DeviceRequests } from './device-requests.js';
import type { AdapterEvent } from './events.js';
import type { Update } from './outcome.js';
import { Pulse } from './pulse.js';
import type { ReplyHandler } from './reply-runner.js';

/** Longer than it takes NATS to deliver again. */
const FROZEN_MS = 7_000;
const LATER_MS = 60_000;

let frozenMs = 0;
/** Time passes, and no timer fires. */
const freeze = (ms = FROZEN_MS) => {
  frozenMs += ms;
};

beforeEach(() => {
  vi.useFakeTimers();
  const now = performance.now.bind(performance);
  frozenMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + frozenMs);
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
});

const settled = () => vi.advanceTimersByTimeAsync(0);

function start(onCommand: CommandHandler, options: Partial<RunnerOptions> = {}) {
  const events: AdapterEvent[] = [];
  const told: Update[] = [];
  const log = (event: AdapterEvent) => void events.push(event);
  const counters = noCounts();
  const runner = new CommandRunner({
    onCommand,
    concurrency: 16,
    onePerDevice: true,
    isShared: false,
    counters,
    log,
    pulse: new Pulse(log),
    report: async (_, update) => void told.push(update()),
    ...options,
  });
  const deliver = (command_id: string, count = 1, leftMs = LATER_MS) => {
    const at = new Date().toISOString();
    const of = { tenant_id: 'demo', vendor: 'vendor_a', device_id: 'd-1', command_type: 'reboot', payload: {} };
    const command = { command_id, ...of, accepted_at: at, deadline_at: at, remaining_ms: 0 };
    const heard = { acknowledge: vi.fn(), stillWorking: vi.fn(), giveBack: vi.fn() };
    const isAgain = count > 1;
    runner.take({ command, leftMs, count, redelivered: isAgain, isFirst: !isAgain, ...heard });
    return heard;
  };
  return { runner, deliver, told, events, counters };
}

/** A handler that ends when the test lets it. */
function gate() {
  let end = (_?: Error) => {};
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve());
  });
  return { ended, end: (error?: Error) => end(error) };
}

test('frozen: what waits does not start, and NATS hears nothing of it; delivered again, it is marked', async () => {
  const runs: [string, boolean][] = [];
  const { ended, end } = gate();
  const { runner, deliver, events, counters } = start(({ command_id }, { redelivered }) => {
    runs.push([command_id, redelivered]);
    return ended;
  });
  deliver('running');
  const waiting = deliver('waiting');
  await settled();
  freeze();
  // The handler goes on before any timer.
  end();
  await settled();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(runs).toEqual([['running', false]]);
  expect(counters).toMatchObject({ running: 0, waiting: 0 });
  for (const heard of Object.values(waiting)) expect(heard).not.toHaveBeenCalled();
  expect(events.filter(({ event }) => event === 'frozen')).toMatchObject([{ level: 'warn', gap_ms: FROZEN_MS }]);
  deliver('waiting', 2);
  await settled();
  expect(runs.slice(1)).toEqual([['waiting', true]]);
  await runner.giveBack();
});

test('a stop right after it gives nothing back: another process may have it', async () => {
  const { ended, end } = gate();
  const { runner, deliver } = start(() => ended);
  deliver('running');
  const waiting = deliver('waiting');
  await settled();
  freeze();
  expect(await runner.giveBack()).toEqual(new Map());
  for (const heard of Object.values(waiting)) expect(heard).not.toHaveBeenCalled();
  end();
  await runner.ended();
});

test('what waits behind a long run leaves at the next beat, without a sign of life', async () => {
  const { deliver, counters } = start(() => new Promise(() => {}));
  deliver('running');
  const waiting = deliver('waiting');
  await settled();
  freeze();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(counters).toMatchObject({ waiting: 0 });
  expect(waiting.stillWorking).not.toHaveBeenCalled();
});

test('frozen past the time that a command may wait: it does not end as if nobody had begun it', async () => {
  const { deliver, told } = start(() => new Promise(() => {}));
  deliver('running');
  // It gives up after 57 seconds, between two beats.
  deliver('waiting', 1, 59_000);
  await vi.advanceTimersByTimeAsync(56_500);
  freeze();
  await vi.advanceTimersByTimeAsync(LATER_MS);
  expect(told).toEqual([]);
});

const STOOD_STILL = 'The adapter stood still meanwhile: another process may have carried out the command too.';

test.for<[string, Error | object | undefined, object]>([
  ['SUCCEEDED', undefined, { device_execution_status: 'SUCCEEDED', status_reason: { code: 'SENT_TWICE' } }],
  [
    'SUCCEEDED without its result',
    new Map(),
    { device_execution_status: 'SUCCEEDED', status_reason: { code: 'RESULT_INVALID' } },
  ],
  [
    'FAILED',
    new Failed('HOT', 'Too hot.'),
    {
      device_execution_status: 'FAILED',
      status_reason: { code: 'HOT', message: `Too hot. (SENT_TWICE. ${STOOD_STILL})` },
    },
  ],
  [
    'UNREACHABLE',
    new Unreachable('OFFLINE'),
    { device_execution_status: 'TIMED_OUT', status_reason: { code: 'OFFLINE' } },
  ],
  ['UNSUPPORTED', new Unsupported(), { device_execution_status: 'TIMED_OUT', status_reason: { code: 'UNSUPPORTED' } }],
  [
    'REJECTED by the device',
    new Rejected('NO', 'It refused.'),
    { device_execution_status: 'TIMED_OUT', status_reason: { code: 'NO' } },
  ],
  [
    'REJECTED',
    new Rejected('NO', 'n'.repeat(1_024)),
    { device_execution_status: 'TIMED_OUT', status_reason: { code: 'NO' } },
  ],
])('a run that ends as %s after it says that it may not be the only one', async ([as, end, outcome]) => {
  const { deliver, told } = start(async (_, context) => {
    if (as.endsWith('by the device')) await context.progress('DELIVERED');
    told.length = 0;
    freeze();
    expect(context.redelivered).toBe(true);
    if (end instanceof Error) throw end;
    return end;
  });
  const { acknowledge } = deliver('one');
  await settled();
  expect(told).toMatchObject([outcome]);
  expect(told[0]).not.toHaveProperty('adapter_status');
  expect(told[0]?.status_reason?.message.includes(STOOD_STILL)).toBe(true);
  expect(told[0]?.status_reason?.message.length).toBeLessThanOrEqual(1_024);
  expect(acknowledge).toHaveBeenCalledTimes(1);
});

test('frozen before the outcome is published: what is published says so, also when it is published again', async () => {
  const told: Update[] = [];
  const report: RunnerOptions['report'] = async (_, update) => {
    if (told.length !== 1) freeze();
    told.push(update());
  };
  const { deliver } = start(() => Promise.reject(new Unreachable()), { report });
  deliver('one');
  await settled();
  for (const count of [2, 3]) {
    deliver('one', count);
    await settled();
  }
  const [first] = told;
  expect(first).toMatchObject({ device_execution_status: 'TIMED_OUT' });
  expect(told).toEqual([first, first, first]);
});

test('an outcome that was told before stays what it was', async () => {
  const { deliver, told } = start(() => Promise.reject(new Unreachable()));
  deliver('one');
  await settled();
  freeze();
  deliver('one', 2);
  await settled();
  expect(told).toMatchObject([{ adapter_status: 'UNREACHABLE' }, { adapter_status: 'UNREACHABLE' }]);
});

test('a command that waits for its device does not get it: another process has the command', async () => {
  const online = new DeviceConnections<string>();
  const connections: string[] = [];
  const { deliver, told, counters } = start(async (_, context) => {
    connections.push(await online.waitFor('d-1', context));
  });
  const first = deliver('one');
  await settled();
  freeze();
  online.add('d-1', 'dialled in');
  await settled();
  expect([connections, told]).toEqual([[], []]);
  expect(counters).toMatchObject({ running: 0, started: 0 });
  for (const heard of Object.values(first)) expect(heard).not.toHaveBeenCalled();
  deliver('one', 2);
  await settled();
  expect(connections).toEqual(['dialled in']);
});

test('one whose device stays away leaves its place at the next beat', async () => {
  const online = new DeviceConnections<string>();
  const { deliver, counters } = start(async (_, context) => void (await online.waitFor('d-1', context)));
  deliver('one');
  await settled();
  freeze();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(counters).toMatchObject({ running: 0 });
});

test('what came again after it is held again: NATS gets its signs of life', async () => {
  const { ended, end } = gate();
  const { deliver, told } = start(() => ended);
  const first = deliver('one');
  await settled();
  freeze();
  const second = deliver('one', 2);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(second.stillWorking).toHaveBeenCalledTimes(1);
  end();
  await settled();
  expect(told).toMatchObject([{ status_reason: { code: 'SENT_TWICE' } }]);
  for (const { acknowledge } of [first, second]) expect(acknowledge).toHaveBeenCalledTimes(1);
});

test('a stall in which NATS gives nothing away changes nothing, nor does a longer one if NATS waits longer', async () => {
  const pulse = new Pulse(() => {});
  const { deliver, told } = start(async () => freeze(5_000), { pulse });
  deliver('one');
  await settled();
  expect(pulse.freezes).toBe(0);
  pulse.redeliveredAfter(15_000);
  freeze(9_000);
  expect(pulse.freezes).toBe(0);
  freeze(1);
  expect(pulse.freezes).toBe(1);
  expect(told).toMatchObject([{ device_execution_status: 'SUCCEEDED' }]);
  expect(told[0]).not.toHaveProperty('status_reason');
});

function startReplies(onReply: ReplyHandler) {
  const pulse = new Pulse(() => {});
  const own = { concurrency: 16, onePerDevice: true, isShared: false, log() {}, pulse };
  const requests = new DeviceRequests({ onReply, ...own, readReplies() {}, publish: async () => {} });
  return (dedupe_id: string, device_id: string) => {
    const at = new Date().toISOString();
    const of = { device_request_id: 'r', request_type: 'firmware_check', outcome: 'SUCCESS' as const };
    const times = { replied_at: at, expires_at: at, remaining_ms: 0 };
    const heard = { acknowledge: vi.fn(), stillWorking: vi.fn(), retry: vi.fn() };
    const reply = { ...of, ...times, dedupe_id, device_id, payload: null, error: null };
    requests.take({ tenantId: 't', reply, leftMs: LATER_MS, attempt: 1, ...heard });
    return heard;
  };
}

test('a reply that waits for its turn or its device is not delivered: another process may deliver it', async () => {
  const online = new DeviceConnections<string>();
  const { ended, end } = gate();
  const begun: string[] = [];
  const deliver = startReplies(async ({ dedupe_id, device_id }, context) => {
    begun.push(device_id === 'away' ? await online.waitFor(device_id, context) : dedupe_id);
    await ended;
  });
  deliver('running', 'd-1');
  const others = [deliver('waiting', 'd-1'), deliver('for its device', 'away')];
  await settled();
  freeze();
  end();
  online.add('away', 'dialled in');
  await vi.advanceTimersByTimeAsync(4_000);
  expect(begun).toEqual(['running']);
  for (const heard of others.flatMap((other) => Object.values(other))) expect(heard).not.toHaveBeenCalled();
  deliver('waiting', 'd-1');
  deliver('for its device', 'away');
  await settled();
  expect(begun.slice(1).sort()).toEqual(['dialled in', 'waiting']);
});

test.for<[string, ReplyHandler]>([
  ['its device', async (_, context) => void (await new DeviceConnections().waitFor('away', context))],
  ['its turn behind one that runs on', () => new Promise(() => {})],
])('a reply that waits for %s leaves at the next beat, so that it can come again', async ([name, onReply]) => {
  const deliver = startReplies(onReply);
  const deliverBoth = () => [deliver('first', 'd-1'), deliver('second', 'd-1')] as const;
  const [, lost] = deliverBoth();
  await settled();
  freeze();
  await vi.advanceTimersByTimeAsync(2_000);
  const [first, second] = deliverBoth();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(lost.stillWorking).not.toHaveBeenCalled();
  expect(first.stillWorking).toHaveBeenCalledTimes(name === 'its device' ? 1 : 0);
  expect(second.stillWorking).toHaveBeenCalledTimes(1);
});
