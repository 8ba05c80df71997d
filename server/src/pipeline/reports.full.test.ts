import { randomUUID } from 'node:crypto';
import { CommandUpdate, subjects } from '@tenant-open-platform/contract/bus';
import { type Answer, createTenant, signedRequest } from '@tenant-open-platform/testing';
import type postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { COMMANDS, completed, newCommand } from '../../test/support/commands.js';
import { openPool } from '../../test/support/open-pool.js';
import { createRedeliveringReporter } from '../../test/support/reporter.js';
import { silent } from '../../test/support/silent.js';
import { localSignals, topics } from '../foundation/signals/signals.js';
import { readUpdate } from './bus/read-message.js';
import { createMessageTaker } from './bus/take-message.js';
import { type Report, type ReportOutcome, takeCommandUpdate } from './reports.js';

const database = openPool();
const tenant = await createTenant();
const reporter = createRedeliveringReporter(database, localSignals(), silent().metrics);

const get = async (id: string): Promise<Answer['body']> =>
  (await signedRequest(tenant.reader, 'GET', `${COMMANDS}/${id}`)).body;

/** A dispatched command that the simulated fleet ignores. */
async function dispatched(fields: object = {}): Promise<string> {
  const id = await newCommand(tenant.operator, { device_id: 'offline-1', timeout_seconds: 300, ...fields });
  await expect.poll(async () => (await get(id)).status).toBe('DISPATCHED');
  return id;
}

type Said = Omit<CommandUpdate, 'command_id'>;

const reportOf = (id: string, said: Said, vendor = 'vendor_a', tenantId = tenant.tenant_id): Report => ({
  tenantId,
  vendor,
  sentAt: new Date(),
  update: { command_id: id, ...said },
});
const report = (...report: Parameters<typeof reportOf>) => reporter(reportOf(...report));

const succeeded = { device_execution_status: 'SUCCEEDED', result: { done: true } } as const;

const asSystem = <Result>(work: (tx: postgres.TransactionSql) => Promise<Result>) =>
  database.sql.begin(async (tx) => {
    await tx`set local role top_system`;
    return work(tx);
  });

const waitsForLock = (statement: string) =>
  expect
    .poll(
      () => database.sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and query like ${`%${statement}%`}`,
    )
    .not.toEqual([]);

const historyOf = ({ history }: Answer['body']) =>
  history.map((entry: Answer['body']) => [
    entry.source,
    entry.status,
    entry.adapter_status,
    entry.device_execution_status,
  ]);

const withoutRequestId = ({ request_id: _, ...record }: Answer['body']) => record;

const eventsOf = async (id: string): Promise<string[]> => {
  const { body } = await signedRequest(tenant.reader, 'GET', `/api/v1/open/events?command_id=${id}`);
  return body.items.map(({ event_type }: Answer['body']) => event_type);
};

test('reports that share a transaction are applied in order, each at a distinct instant', async () => {
  const ids = await Promise.all(Array.from({ length: 10 }, () => dispatched()));
  const outcomes = await Promise.all(
    ids.flatMap((id) => [
      report(id, { adapter_status: 'DELIVERED' }),
      report(id, { device_execution_status: 'IN_PROGRESS' }),
      report(id, succeeded),
      report(id, succeeded),
    ]),
  );
  expect(outcomes).toEqual(ids.flatMap(() => ['CHANGED', 'CHANGED', 'CHANGED', 'REPEATED']));
  for (const id of ids) {
    const record = await get(id);
    expect(historyOf(record).slice(2)).toEqual([
      ['ADAPTER', 'DISPATCHED', 'DELIVERED', 'NOT_STARTED'],
      ['DEVICE', 'DISPATCHED', 'DELIVERED', 'IN_PROGRESS'],
      ['DEVICE', 'SUCCEEDED', 'DELIVERED', 'SUCCEEDED'],
    ]);
    const instants = record.history.map(({ at }: Answer['body']) => at);
    expect([...new Set(instants)].sort()).toEqual(instants);
    expect([record.updated_at, record.completed_at]).toEqual([instants.at(-1), instants.at(-1)]);
  }
});

test('changes of status that arrive together are written as one', async () => {
  const [quick, slow] = await Promise.all([dispatched(), dispatched()]);
  await Promise.all([
    report(quick, { adapter_status: 'DELIVERED', status_reason: { code: 'QUEUED', message: 'It waits.' } }),
    report(quick, { device_execution_status: 'IN_PROGRESS', progress: { step: 1, of: 3 }, result: { part: 1 } }),
    report(quick, { device_execution_status: 'SUCCEEDED' }),
    report(slow, succeeded),
  ]);
  const written = await asSystem(
    (tx) => tx`select distinct xmin, cmin from commands where command_id in ${tx([quick, slow])}`,
  );
  expect(written).toHaveLength(1);
  const record = await get(quick);
  expect(record).toMatchObject({
    status: 'SUCCEEDED',
    status_reason: null,
    progress: { step: 1 },
    result: { part: 1 },
  });
  expect(record.history.slice(2).map(({ reason }: Answer['body']) => reason?.code)).toEqual([
    'QUEUED',
    undefined,
    undefined,
  ]);
  expect(await eventsOf(quick)).toEqual(['command.accepted', 'command.completed']);
  await report(slow, { device_execution_status: 'FAILED' });
  expect(historyOf(await get(slow))).toHaveLength(4);
});

test('a report that waited for another change comes after it in the history, even if its transaction is older', async () => {
  const id = await dispatched();
  let reporting: Promise<ReportOutcome> | undefined;
  const changedAt = await asSystem(async (tx) => {
    await tx`select from commands where tenant_id = ${tenant.tenant_id} and command_id = ${id} for no key update`;
    reporting = report(id, { adapter_status: 'DELIVERED' });
    await waitsForLock('transitions: change commands');
    const [changed] = await tx<{ updated_at: string }[]>`
      update commands set updated_at = clock_timestamp()
      where tenant_id = ${tenant.tenant_id} and command_id = ${id}
      returning updated_at`;
    return Date.parse(changed?.updated_at ?? '');
  });
  expect(await reporting).toBe('CHANGED');
  const { history } = await get(id);
  expect(history.at(-1).adapter_status).toBe('DELIVERED');
  expect(Date.parse(history.at(-1).at)).toBeGreaterThan(changedAt);
});

test('a report of an accepted command waits while the commands of a restored copy are marked: it counts', async () => {
  const id = await dispatched();
  const isThis = database.sql`tenant_id = ${tenant.tenant_id} and command_id = ${id}`;
  // As the copy has it: accepted, and dispatched by the history that is lost.
  await asSystem(
    (tx) =>
      tx`update commands set status = 'ACCEPTED', adapter_status = 'PENDING', dispatched_at = null where ${isThis}`,
  );
  let reporting: Promise<ReportOutcome> | undefined;
  await asSystem(async (tx) => {
    await tx`update commands set is_copied = true where ${isThis}`;
    reporting = report(id, succeeded);
    await waitsForLock('transitions: lock accepted commands');
  });
  expect(await reporting).toBe('CHANGED');
  expect((await get(id)).status).toBe('SUCCEEDED');
});

test('only the history says why a step was slow; the record says why the command ended', async () => {
  const id = await dispatched();
  const reason = { code: 'BUSY', message: 'The device is busy.' };
  await report(id, { device_execution_status: 'IN_PROGRESS', status_reason: reason });
  expect((await get(id)).status_reason).toBeNull();
  await report(id, succeeded);
  const record = await get(id);
  expect([record.status_reason, record.history.at(-2).reason, record.history.at(-1).reason]).toEqual([
    null,
    reason,
    null,
  ]);
});

describe('a report without permission', () => {
  test.each([
    ['of another tenant', async (id: string) => reportOf(id, succeeded, 'vendor_a', (await createTenant()).tenant_id)],
    ['of another vendor', async (id: string) => reportOf(id, succeeded, 'vendor_b')],
    ['for an unknown command', async () => reportOf(randomUUID(), succeeded)],
  ])('%s is refused and changes nothing', async (_, foreign) => {
    const id = await dispatched();
    const before = withoutRequestId(await get(id));
    expect(await reporter(await foreign(id))).toBe('UNKNOWN');
    expect(withoutRequestId(await get(id))).toEqual(before);
  });
});

test.each([
  ['is malformed', () => Buffer.from('{'), 'Not JSON'],
  ['sets a state that only the platform may set', (id: string) => update(id, { adapter_status: 'SENT' }), 'Not valid'],
  ['sets nothing', (id: string) => update(id, {}), 'Not valid'],
  [
    'says its status twice',
    (id: string) => Buffer.from(`{"command_id":"${id}","adapter_status":"FAILED","adapter_status":"DELIVERED"}`),
    'Not JSON with one unambiguous meaning: the name is repeated',
  ],
  ['is for an unknown command', () => update(randomUUID(), succeeded), 'The tenant of the subject has no such command'],
])('an update that %s is refused, counted and parked, and changes nothing', async (_, body, reason) => {
  const id = await dispatched();
  const before = withoutRequestId(await get(id));
  const options = { database, ...silent() };
  const { metrics } = options;
  const take = createMessageTaker(options, 'command-updates', readUpdate, takeCommandUpdate(reporter, metrics));
  expect(await take(deliveryOf(id, body(id)))).toBe('DONE');
  expect(withoutRequestId(await get(id))).toEqual(before);
  expect(await metrics.render()).toContain('top_bus_messages_total{kind="command-updates",outcome="REFUSED"} 1');
  expect(await lastParkedReason()).toMatch(new RegExp(`^${reason}`));
});

test.each([
  ['a result over 32 KiB', { result: { a: 'a'.repeat(32_761) } }, 'body/result is larger than 32768 bytes'],
  ['a result of 32 levels', { result: nested(32) }, 'body/result cannot be kept: nested deeper than 32 levels'],
  ['a message over 64 KiB', { result: { a: 'a'.repeat(65_536) } }, 'body/result is larger than 32768 bytes'],
  ['a time without a zone', { occurred_at: '2026-11-28T17:59:00.123' }, 'body/occurred_at'],
])('of an update with %s the outcome counts; the rest is named and parked', async (_, beside, problem) => {
  const id = await dispatched();
  const options = { database, ...silent() };
  const { metrics } = options;
  const take = createMessageTaker(options, 'command-updates', readUpdate, takeCommandUpdate(reporter, metrics));
  const delivery = deliveryOf(id, update(id, { device_execution_status: 'SUCCEEDED', ...beside }));
  expect(await take(delivery)).toBe('DONE');
  const { status, status_reason, result } = await get(id);
  expect([status, status_reason.code, result]).toEqual(['SUCCEEDED', 'RESULT_INVALID', null]);
  expect(status_reason.message).toContain(problem);
  expect(await lastParkedReason()).toContain(`The update counts. Left out: ${problem}`);
  expect(await metrics.render()).toContain('top_bus_messages_total{kind="command-updates",outcome="REFUSED"} 1');
});

const subject = subjects.commandUpdate(tenant.tenant_id, 'vendor_a');

const deliveryOf = (id: string, body: Buffer) => ({
  id,
  messageId: '',
  subject,
  body,
  attempt: 1,
  waitingBehind: 0,
  sentAt: new Date(),
  age: async () => 0,
});

async function lastParkedReason(): Promise<string> {
  const [parked] = await asSystem(
    (tx) => tx`select reason from parked_messages where subject = ${subject} order by parked_message_id desc limit 1`,
  );
  return parked?.reason;
}

test('a result may nest as deep as the payload of a command: 31 levels', async () => {
  const id = await dispatched();
  const options = { database, ...silent() };
  const take = createMessageTaker(options, 'command-updates', readUpdate, takeCommandUpdate(reporter, options.metrics));
  await take(deliveryOf(id, update(id, { ...succeeded, result: nested(31) })));
  expect(await get(id)).toMatchObject({ status: 'SUCCEEDED', result: nested(31) });
});

async function listed(query: string): Promise<string[]> {
  const { body } = await signedRequest(tenant.reader, 'GET', `${COMMANDS}?limit=500&${query}`);
  return body.items.map(({ command_id }: { command_id: string }) => command_id);
}

/** An object of so many levels. */
function nested(levels: number): object {
  return levels === 1 ? {} : { a: nested(levels - 1) };
}

const update = (command_id: string, said: object) => Buffer.from(JSON.stringify({ command_id, ...said }));

describe('a report after the final status', () => {
  const ended = async () => {
    const id = await dispatched();
    await report(id, { adapter_status: 'FAILED', status_reason: { code: 'LOST', message: 'Lost.' } });
    return id;
  };
  const unchanging = [
    'status',
    'adapter_status',
    'device_execution_status',
    'public_status',
    'status_reason',
    'result',
    'completed_at',
  ];
  const endOf = (record: Answer['body']) => unchanging.map((name) => record[name]);

  test('is kept in the history, the first result as late_result; it changes no status and causes no second event', async () => {
    const id = await ended();
    const end = endOf(await completed(tenant.reader, id));
    // Progress that was overtaken by the result.
    expect(await report(id, { device_execution_status: 'IN_PROGRESS' })).toBe('REPEATED');
    expect(historyOf(await get(id))).toHaveLength(3);
    expect(await report(id, succeeded)).toBe('LATE');
    expect(await report(id, { device_execution_status: 'FAILED' })).toBe('LATE');
    const record = await get(id);
    expect(endOf(record)).toEqual(end);
    expect(record.late_result).toEqual({
      received_at: expect.any(String),
      adapter_status: null,
      device_execution_status: 'SUCCEEDED',
      status_reason: null,
      result: { done: true },
    });
    expect(historyOf(record).slice(3)).toEqual([
      ['DEVICE', 'FAILED', 'FAILED', 'SUCCEEDED'],
      ['DEVICE', 'FAILED', 'FAILED', 'FAILED'],
    ]);
    expect(await eventsOf(id)).toEqual(['command.accepted', 'command.completed']);
    const late = await listed('has_late_result=true');
    expect([late.includes(id), (await listed('has_late_result=false')).includes(id)]).toEqual([true, false]);
  });

  test('wakes the requests that wait for a change of the command', async () => {
    const id = await ended();
    const signals = localSignals();
    let woken = 0;
    signals.listen(topics.command(tenant.tenant_id, id), () => woken++);
    const reportHere = createRedeliveringReporter(database, signals, silent().metrics);
    expect(await reportHere(reportOf(id, succeeded))).toBe('LATE');
    expect(woken).toBe(1);
    expect(await reportHere(reportOf(id, succeeded))).toBe('REPEATED');
    expect(woken).toBe(1);
  });

  test('is recorded once, however often it is repeated: the history stays below 100 entries', async () => {
    const id = await ended();
    const { adapter_status, device_execution_status } = CommandUpdate.shape;
    const every = [undefined, ...adapter_status.unwrap().options].flatMap((adapter) =>
      [undefined, ...device_execution_status.unwrap().options].map((device) => ({
        ...(adapter && { adapter_status: adapter }),
        ...(device && { device_execution_status: device }),
      })),
    );
    const outcomesOf = () => Promise.all(every.slice(1).map((said) => report(id, said)));
    const first = await outcomesOf();
    const { history, late_result } = await get(id);
    expect(first.filter((outcome) => outcome === 'LATE')).toHaveLength(history.length - 3);
    expect(history.length).toBeLessThan(100);
    expect(new Set(history.map((entry: Answer['body']) => JSON.stringify({ ...entry, at: 0 }))).size).toBe(
      history.length,
    );
    expect(late_result.received_at).toBe(history[3].at);
    expect(new Set(await outcomesOf())).toEqual(new Set(['REPEATED']));
    expect((await get(id)).history).toEqual(history);
  });
});

describe('steps of an execution', () => {
  const begunAt = Date.parse('2026-01-31T09:30:00Z');

  const stepOf = (
    id: string,
    step: number,
    seconds = step,
    said: Said = { device_execution_status: 'IN_PROGRESS' },
  ) => ({
    ...reportOf(id, { ...said, progress: { step, of: 10 } }),
    sentAt: new Date(begunAt + seconds * 1_000),
  });

  /** As if the command had last changed more than a second ago. */
  const aSecondLater = (id: string) =>
    asSystem(
      (tx) => tx`
      update commands set updated_at = updated_at - interval '1 second'
      where tenant_id = ${tenant.tenant_id} and command_id = ${id}`,
    );

  async function started(): Promise<string> {
    const id = await dispatched();
    expect(await reporter(stepOf(id, 1))).toBe('CHANGED');
    return id;
  }

  const progressOf = async (id: string) => (await get(id)).progress;

  test('the record shows the last one; the history and the events do not', async () => {
    const id = await started();
    expect(await progressOf(id)).toEqual({ step: 1, of: 10, reported_at: '2026-01-31T09:30:01.000Z' });
    await aSecondLater(id);
    expect(await reporter(stepOf(id, 2))).toBe('PROGRESSED');
    expect(await progressOf(id)).toEqual({ step: 2, of: 10, reported_at: '2026-01-31T09:30:02.000Z' });
    expect(await reporter(stepOf(id, 10, 10, succeeded))).toBe('CHANGED');
    const record = await get(id);
    expect([record.status, record.progress.step, record.result]).toEqual(['SUCCEEDED', 10, { done: true }]);
    expect(historyOf(record).slice(2)).toEqual([
      ['DEVICE', 'DISPATCHED', 'DELIVERED', 'IN_PROGRESS'],
      ['DEVICE', 'SUCCEEDED', 'DELIVERED', 'SUCCEEDED'],
    ]);
    expect(await eventsOf(id)).toEqual(['command.accepted', 'command.completed']);
    expect(await reporter(stepOf(id, 9, 11))).toBe('REPEATED');
    expect((await progressOf(id)).step).toBe(10);
  });

  test('of a hundred steps at once one is written; the last one waits on the bus for the next second', async () => {
    const id = await started();
    await aSecondLater(id);
    const steps = Array.from({ length: 100 }, (_, index) => stepOf(id, 5, 2 + index));
    const from = performance.now();
    const outcomes = await Promise.all(steps.map((step) => reporter(step)));
    const times = (wanted: ReportOutcome) => outcomes.filter((outcome) => outcome === wanted).length;
    // The batches of the reporter overlap: each has a last step. On a slow machine they take more than a second.
    expect(times('PROGRESSED')).toBeGreaterThan(0);
    expect(times('PROGRESSED')).toBeLessThanOrEqual(1 + (performance.now() - from) / 1_000);
    expect(times('PROGRESSED') + times('TOO_SOON')).toBeLessThanOrEqual(5);
    const take = takeCommandUpdate(reporter, silent().metrics);
    let seconds = 200;
    const takeNext = () => {
      const { update, ...sender } = stepOf(id, 9, seconds);
      return take(update, { ...sender, age: async () => 0 });
    };
    let handled = await takeNext();
    // On a slow machine a second has passed, so it is written. The one after it follows at once.
    for (; handled.as === 'DONE'; handled = await takeNext()) seconds++;
    expect(handled).toEqual({ as: 'RETRIED', inMs: 1_000 });
    await aSecondLater(id);
    expect(await takeNext()).toEqual({ as: 'DONE' });
    // Earlier ones come again, too.
    await aSecondLater(id);
    expect(await Promise.all(steps.slice(0, 2).map((step) => reporter(step)))).toEqual(['REPEATED', 'REPEATED']);
    expect((await progressOf(id)).step).toBe(9);
  });

  test.each([
    ['an earlier one that is handled later does not', 3, 1, 'REPEATED'],
    ['a further one of the same millisecond does', 3, 2, 'PROGRESSED'],
    ['a lower one that the device says later does: it began again', 0, 9, 'PROGRESSED'],
  ])('%s take its place', async (_, step, seconds, outcome) => {
    const id = await dispatched();
    await reporter(stepOf(id, 2));
    await aSecondLater(id);
    expect(await reporter(stepOf(id, step, seconds))).toBe(outcome);
    expect((await progressOf(id)).step).toBe(outcome === 'PROGRESSED' ? step : 2);
  });

  test('a step wakes the requests that wait for a change', async () => {
    const id = await started();
    await aSecondLater(id);
    const { updated_at } = await get(id);
    const waiting = signedRequest(
      tenant.reader,
      'GET',
      `${COMMANDS}/${id}?wait_seconds=30&seen_updated_at=${encodeURIComponent(updated_at)}`,
    );
    await reporter(stepOf(id, 7));
    expect((await waiting).body.progress.step).toBe(7);
  });

  test('a step beyond the last, of none, or of a fraction is refused', () => {
    const update = { command_id: randomUUID(), device_execution_status: 'IN_PROGRESS' };
    const isTaken = (progress: unknown) => CommandUpdate.safeParse({ ...update, progress }).success;
    expect(isTaken({ step: 10, of: 10 })).toBe(true);
    for (const progress of [{ step: 11, of: 10 }, { step: 0, of: 0 }, { step: 0.5, of: 1 }, { step: 1 }, 40, null]) {
      expect(isTaken(progress), JSON.stringify(progress)).toBe(false);
    }
  });
});
