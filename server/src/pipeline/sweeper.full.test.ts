import { randomUUID } from 'node:crypto';
import { subjects } from '@tenant-open-platform/contract/bus';
import { signedRequest } from '@tenant-open-platform/testing';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { COMMANDS, newCommand } from '../../test/support/commands.js';
import { dispatch, dispatchTogether } from '../../test/support/dispatch.js';
import { startIdlePlatform } from '../../test/support/idle-platform.js';
import { ID_OF_N, multiply } from '../../test/support/multiply.js';
import { openPool, openSession } from '../../test/support/open-pool.js';
import { sweeperOfEverySlot } from '../../test/support/owned-slots.js';
import { silent } from '../../test/support/silent.js';
import { localSignals } from '../foundation/signals/signals.js';
import type { Outcome } from './bus/bus.js';
import { inProcessBus } from './bus/in-process-bus.js';
import { createCommandReporter } from './reports.js';

const platform = await startIdlePlatform();
const superuser = openSession(platform.superuserUrl, { fetch_types: false });
const database = openPool(platform.databaseUrl);
// Deadlines that these tests set are before the start of the platform.
beforeEach(() => superuser`update slots set swept_until = now() - interval '1 hour'`);

const signals = localSignals();
const background = silent();

const createSweeper = (bus: Parameters<typeof sweeperOfEverySlot>[0]['bus'], holdMs = 60_000) =>
  sweeperOfEverySlot({ ...background, database, signals, bus, intervalMs: 500, holdMs });

const newCommandOf = (vendor: string) => newCommand(platform.demo, { vendor, timeout_seconds: 300 });

async function dispatched(vendor = 'vendor_a'): Promise<string> {
  const id = await newCommandOf(vendor);
  await dispatch(database, platform.demo.tenant_id, id);
  return id;
}

/** No role of the platform may change a deadline. */
const setDeadline = (ids: string[], deadline: Date) =>
  superuser`update commands set deadline_at = ${deadline} where command_id in ${superuser(ids)}`;

const statusOf = async (id: string): Promise<string> =>
  (await signedRequest(platform.demo, 'GET', `${COMMANDS}/${id}`)).body.status;
const statusesOf = (ids: string[]) => Promise.all(ids.map(statusOf));

/** An update that no round sees handled. */
const neverTaken = { seq: 0, sentAt: new Date(0) };

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);

/** A bus whose updates are handled when the test decides. */
async function busWithUntaken(vendor = 'vendor_a') {
  const bus = inProcessBus();
  let release = () => {};
  const released = new Promise<Outcome>((resolve) => {
    release = () => resolve('DONE');
  });
  await bus.consume({ stream: 'TOP_UPDATES', durable: 'test', handle: () => released });
  const subject = subjects.commandUpdate(platform.demo.tenant_id, vendor);
  await bus.publish([{ subject, id: randomUUID(), body: Buffer.from('{}') }]);
  const take = async () => {
    release();
    await vi.waitFor(async () => expect(await bus.oldestUntaken(subject)).toBeNull(), { timeout: 60_000 });
  };
  return { bus, take };
}

test('a command waits for an update that reached the bus before its deadline, and ends once it is handled', async () => {
  const id = await dispatched();
  const { bus, take } = await busWithUntaken();
  await setDeadline([id], new Date());
  const sweep = createSweeper(bus);
  expect(await sweep()).toBe(0);
  expect(await statusOf(id)).toBe('DISPATCHED');
  await take();
  expect(await sweep()).toBe(1);
  expect(await statusOf(id)).toBe('TIMED_OUT');
});

test.each([3_600_000, -3_600_000])(
  'a command waits for what reached the bus before it was overdue, and for nothing later, by a clock of the bus that is %i ms ahead',
  async (aheadMs) => {
    const id = await dispatched();
    const deadline = ago(10);
    await setDeadline([id], deadline);
    let oldest = 7;
    const sweep = createSweeper({
      ...inProcessBus(),
      lastUpdate: async () => 7,
      oldestUntaken: async () => ({ seq: oldest, sentAt: new Date(deadline.getTime() + aheadMs) }),
    });
    expect([await sweep(), await sweep()]).toEqual([0, 0]);
    expect(await statusOf(id)).toBe('DISPATCHED');
    oldest = 8;
    expect(await sweep()).toBe(1);
    expect(await statusOf(id)).toBe('TIMED_OUT');
  },
);

test('a command does not wait for updates of another vendor', async () => {
  const id = await dispatched('vendor_b');
  const { bus } = await busWithUntaken('vendor_a');
  await setDeadline([id], new Date());
  const { metrics, now } = silent();
  const sweep = sweeperOfEverySlot({ database, signals, bus, metrics, now, intervalMs: 500 });
  expect(await sweep()).toBe(1);
  expect(await statusOf(id)).toBe('TIMED_OUT');
  expect(await metrics.render()).toContain(`top_commands_completed_total{status="TIMED_OUT",vendor="vendor_b"} 1\n`);
});

test('a stream that was emptied counts from the beginning, and nothing waits for its former numbers', async () => {
  const id = await dispatched();
  await setDeadline([id], ago(10));
  let [last, oldest] = [7, 7];
  const sweep = createSweeper({
    ...inProcessBus(),
    lastUpdate: async () => last,
    oldestUntaken: async () => ({ seq: oldest, sentAt: new Date() }),
  });
  expect(await sweep()).toBe(0);
  [last, oldest] = [1, 1];
  expect(await sweep()).toBe(0);
  oldest = 2;
  expect(await sweep()).toBe(1);
});

const reasonOf = async (id: string) =>
  (await signedRequest(platform.demo, 'GET', `${COMMANDS}/${id}`)).body.status_reason;

test('commands that nobody read end with NO_ADAPTER; the bus is asked once for each durable, when they end', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => dispatched('vendor_b')));
  await setDeadline(ids, ago(1));
  const bus = inProcessBus();
  const asked: string[] = [];
  const commandReads = (only: readonly string[] = []) => {
    asked.push(...only);
    return bus.commandReads(only);
  };
  const held = createSweeper({ ...bus, oldestUntaken: async () => neverTaken, commandReads });
  expect([await held(), asked]).toEqual([0, []]);
  const other = await dispatched('vendor_a');
  await setDeadline([other], ago(1));
  expect(await createSweeper({ ...bus, commandReads })()).toBe(21);
  const durables = ['vendor_a', 'vendor_b'].flatMap((vendor) => [
    `${platform.demo.tenant_id}+${vendor}`,
    `platform+${vendor}`,
  ]);
  expect(asked.toSorted()).toEqual([...durables, 'simulated-fleet'].toSorted());
  expect(await statusesOf(ids)).toEqual(ids.map(() => 'TIMED_OUT'));
  for (const id of ids) {
    expect(await reasonOf(id)).toEqual({
      code: 'NO_ADAPTER',
      message: 'No adapter has ever read commands of vendor_b for this tenant.',
    });
  }
});

test.each([
  ['of the tenant', () => `${platform.demo.tenant_id}+vendor_a`, 'TIMED_OUT'],
  ['of tenant platform', () => 'platform+vendor_a', 'TIMED_OUT'],
  ['of another tenant', () => 'other+vendor_a', 'NO_ADAPTER'],
  ['of another vendor', () => `${platform.demo.tenant_id}+vendor_b`, 'NO_ADAPTER'],
])('a command times out after an adapter %s has read and stopped: %s %s', async (_, durable, code) => {
  const bus = inProcessBus();
  const reader = await bus.consume({ stream: 'TOP_COMMANDS', durable: durable(), handle: async () => 'DONE' });
  await reader.stop();
  const id = await dispatched('vendor_a');
  await setDeadline([id], ago(1));
  expect(await createSweeper(bus)()).toBe(1);
  expect((await reasonOf(id)).code).toBe(code);
});

test('a command whose adapter NATS has forgotten still times out', async () => {
  const setReads = (reads: string | null) => superuser`
    update tenants set adapter_reads = ${reads}::text::jsonb where tenant_id = ${platform.demo.tenant_id}`;
  await setReads('{"vendor_a": "2026-01-31T09:45:00Z"}');
  const id = await dispatched('vendor_a');
  await setDeadline([id], ago(1));
  expect(await createSweeper(inProcessBus())()).toBe(1);
  await setReads(null);
  expect((await reasonOf(id)).code).toBe('TIMED_OUT');
});

test('the history of a command that timed out keeps the progress that is reported later', async () => {
  const id = await dispatched('vendor_a');
  await setDeadline([id], ago(1));
  expect(await createSweeper(inProcessBus())()).toBe(1);
  const report = createCommandReporter(database, signals, background.metrics);
  const reported = (said: object) =>
    report({
      tenantId: platform.demo.tenant_id,
      vendor: 'vendor_a',
      sentAt: new Date(),
      update: { command_id: id, ...said },
    });
  expect(await reported({ adapter_status: 'DELIVERED' })).toBe('LATE');
  expect(await reported({ device_execution_status: 'IN_PROGRESS' })).toBe('LATE');
  const { body } = await signedRequest(platform.demo, 'GET', `${COMMANDS}/${id}`);
  const ended = { status: 'TIMED_OUT', adapter_status: 'TIMED_OUT', device_execution_status: 'UNKNOWN' };
  expect(body).toMatchObject({ ...ended, late_result: null });
  expect(body.history.slice(2)).toMatchObject([
    { source: 'PLATFORM', ...ended },
    { source: 'ADAPTER', ...ended, adapter_status: 'DELIVERED' },
    { source: 'DEVICE', ...ended, device_execution_status: 'IN_PROGRESS' },
  ]);
});

test('a command that was never dispatched does not wait for updates', async () => {
  const id = await newCommandOf('vendor_a');
  const { bus } = await busWithUntaken();
  await setDeadline([id], new Date());
  expect(await createSweeper(bus)()).toBe(1);
  expect(await statusOf(id)).toBe('EXPIRED');
});

test('waiting commands, even more than a batch, do not keep a later command of another vendor open', async () => {
  const held = await Promise.all(Array.from({ length: 600 }, () => newCommandOf('vendor_a')));
  await dispatchTogether(database, platform.demo.tenant_id, held);
  const other = await dispatched('vendor_b');
  const { bus, take } = await busWithUntaken('vendor_a');
  await setDeadline(held, new Date());
  await setDeadline([other], new Date());
  const sweep = createSweeper(bus);
  expect(await sweep()).toBe(1);
  expect(await statusOf(other)).toBe('TIMED_OUT');
  await take();
  expect([await sweep(), await sweep(), await sweep()]).toEqual([500, 100, 0]);
});

test('a pass begins at the first open deadline; once a minute one begins at the stored mark, and finds what was skipped', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const sweep = createSweeper(inProcessBus());
  await sweep();
  const [passedOver, seen] = [await newCommandOf('vendor_a'), await newCommandOf('vendor_a')];
  await setDeadline([passedOver], ago(30));
  await setDeadline([seen], new Date());
  expect(await sweep()).toBe(1);
  expect(await sweep()).toBe(0);
  expect(await statusesOf([passedOver, seen])).toEqual(['ACCEPTED', 'EXPIRED']);
  vi.advanceTimersByTime(60_000);
  expect(await sweep()).toBe(1);
  expect(await statusOf(passedOver)).toBe('EXPIRED');
});

test('the stored mark stays before an open command, and follows the clock if no command is open', async () => {
  const mark = async () => {
    const [row] = await superuser<{ at: Date }[]>`select min(swept_until) as at from slots`;
    return row?.at.getTime() ?? 0;
  };
  const id = await dispatched();
  const deadline = ago(300);
  await setDeadline([id], deadline);
  const { bus, take } = await busWithUntaken();
  const noUpdateBefore = { ...inProcessBus(), oldestUntaken: async () => neverTaken };
  const sweepOf = (bus: Parameters<typeof createSweeper>[0]) =>
    sweeperOfEverySlot({ ...background, database, signals, bus, thoroughEveryMs: 0, intervalMs: 500 });
  expect(await sweepOf(noUpdateBefore)()).toBe(0);
  expect(await mark()).toBe(deadline.getTime());
  await take();
  const sweep = sweepOf(bus);
  expect([await sweep(), await sweep()]).toEqual([1, 0]);
  expect(Date.now() - (await mark())).toBeGreaterThanOrEqual(60_000);
  expect(Date.now() - (await mark())).toBeLessThan(90_000);
});

test('the mark also stays before the first of more open commands than a round reads', async () => {
  const id = await dispatched();
  const first = ago(900);
  await setDeadline([id], first);
  await multiply(
    superuser,
    'commands',
    5_000,
    {
      command_id: ID_OF_N,
      idempotency_key: "'held-' || n",
      deadline_at: "sample.deadline_at + n * interval '1 millisecond'",
    },
    `command_id = '${id}'`,
  );
  onTestFinished(async () => {
    await superuser`delete from commands where idempotency_key like 'held-%'`;
    await superuser`update commands set status = 'FAILED', completed_at = now() where command_id = ${id}`;
  });
  await superuser`update slots set swept_until = now() - interval '1 hour'`;
  const bus = { ...inProcessBus(), oldestUntaken: async () => neverTaken };
  const sweep = sweeperOfEverySlot({ ...background, database, signals, bus, thoroughEveryMs: 0, intervalMs: 500 });
  expect(await sweep()).toBe(0);
  const [mark] = await superuser<{ at: Date }[]>`select min(swept_until) as at from slots`;
  expect(mark?.at).toEqual(first);
});

const noAnswer = () => Promise.reject(new Error('no answer'));

test.each([
  ['a stuck consumer', async () => (await busWithUntaken()).bus],
  [
    'a bus that does not answer',
    async () => ({ oldestUntaken: noAnswer, lastUpdate: noAnswer, commandReads: noAnswer }),
  ],
])('%s keeps a command open only for a bounded time', async (_, open) => {
  const id = await dispatched();
  const bus = await open();
  await setDeadline([id], new Date());
  const sweep = createSweeper(bus, 300);
  expect(await sweep()).toBe(0);
  await vi.waitFor(async () => expect(await sweep()).toBe(1), { timeout: 60_000, interval: 50 });
  expect(await statusOf(id)).toBe('TIMED_OUT');
});

test('after a pause, such as an outage of Postgres, commands are held for the whole time again', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  await superuser`update slots set swept_until = now() - interval '1 hour'`;
  const id = await dispatched();
  await setDeadline([id], ago(300));
  const sweep = createSweeper({ ...inProcessBus(), oldestUntaken: async () => neverTaken });
  expect(await sweep()).toBe(0);
  vi.advanceTimersByTime(300_000);
  expect(await sweep()).toBe(0);
  for (let passedMs = 0; passedMs < 55_000; passedMs += 5_000) {
    vi.advanceTimersByTime(5_000);
    expect(await sweep()).toBe(0);
  }
  vi.advanceTimersByTime(5_000);
  expect(await sweep()).toBe(1);
});

test('after the clock of the database was an hour ahead, a sweep still ends overdue commands', async () => {
  const bus = inProcessBus();
  const sweep = sweeperOfEverySlot({ ...background, database, signals, bus, thoroughEveryMs: 0, intervalMs: 500 });
  await superuser`update slots set swept_until = now() + interval '1 hour'`;
  const [late, later] = [await newCommandOf('vendor_a'), await newCommandOf('vendor_a')];
  await setDeadline([late], ago(70));
  await setDeadline([later], ago(5));
  await vi.waitFor(
    async () => {
      await sweep();
      expect(await statusesOf([late, later])).toEqual(['EXPIRED', 'EXPIRED']);
    },
    { timeout: 60_000 },
  );
  await bus.close();
});

test('of two commands of one vendor, the one that is due before the oldest unhandled update ends, and the other waits', async () => {
  const [early, late] = [await dispatched(), await dispatched()];
  await setDeadline([early], ago(10));
  let last = 7;
  const sweep = createSweeper({
    ...inProcessBus(),
    lastUpdate: async () => last,
    oldestUntaken: async () => (last < 9 ? { seq: last, sentAt: new Date() } : null),
  });
  expect(await sweep()).toBe(0);
  await setDeadline([late], new Date());
  last = 8;
  expect(await sweep()).toBe(1);
  expect(await statusesOf([early, late])).toEqual(['TIMED_OUT', 'DISPATCHED']);
  last = 9;
  expect(await sweep()).toBe(1);
  expect(await statusOf(late)).toBe('TIMED_OUT');
});
