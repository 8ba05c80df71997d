import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Answer, createTenant, signedRequest, startNode } from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';
import { COMMANDS, cancelCommand, canceledCommand, completed, newCommand } from '../../test/support/commands.js';
import { expectRefusal } from '../../test/support/expect-refusal.js';

const tenant = await createTenant();

const create = (deviceId: string, fields: object = {}) =>
  newCommand(tenant.operator, { device_id: deviceId, ...fields });
const get = (id: string, query = '') => signedRequest(tenant.reader, 'GET', `${COMMANDS}/${id}${query}`);

async function waitUntilDispatched(id: string): Promise<void> {
  let { body: record } = await get(id);
  while (record.status === 'ACCEPTED') {
    record = (await get(id, `?wait_seconds=30&seen_updated_at=${record.updated_at}`)).body;
  }
}

const eventsOf = async (commandId: string): Promise<Answer['body'][]> =>
  (await signedRequest(tenant.reader, 'GET', `/api/v1/open/events?command_id=${commandId}`)).body.items;

const accepted = ['PLATFORM', 'ACCEPTED', 'PENDING', 'NOT_STARTED', null];
const dispatched = ['PLATFORM', 'DISPATCHED', 'SENT', 'NOT_STARTED', null];
const begun = ['DEVICE', 'DISPATCHED', 'DELIVERED', 'IN_PROGRESS', null];
const lateStep = ['DEVICE', 'TIMED_OUT', 'DELIVERED', 'IN_PROGRESS', null];

/** The outcome and the history of a command, by simulated device. */
const outcomes = [
  {
    device: 'ok',
    final: ['SUCCEEDED', 'DELIVERED', 'SUCCEEDED', 'SUCCEEDED'],
    reason: null,
    result: { simulated: true },
    history: [accepted, dispatched, begun, ['DEVICE', 'SUCCEEDED', 'DELIVERED', 'SUCCEEDED', null]],
  },
  {
    device: 'fail',
    final: ['FAILED', 'DELIVERED', 'FAILED', 'FAILED'],
    reason: 'DEVICE_FAULT',
    result: null,
    history: [accepted, dispatched, begun, ['DEVICE', 'FAILED', 'DELIVERED', 'FAILED', 'DEVICE_FAULT']],
  },
  {
    device: 'reject',
    final: ['REJECTED', 'DELIVERED', 'REJECTED', 'FAILED'],
    reason: 'NOT_NOW',
    result: null,
    history: [accepted, dispatched, ['DEVICE', 'REJECTED', 'DELIVERED', 'REJECTED', 'NOT_NOW']],
  },
  {
    device: 'unsupported',
    final: ['UNSUPPORTED', 'UNSUPPORTED', 'NOT_STARTED', 'FAILED'],
    reason: 'UNSUPPORTED',
    result: null,
    history: [accepted, dispatched, ['ADAPTER', 'UNSUPPORTED', 'UNSUPPORTED', 'NOT_STARTED', 'UNSUPPORTED']],
  },
  {
    device: 'unreachable',
    final: ['FAILED', 'UNREACHABLE', 'NOT_STARTED', 'FAILED'],
    reason: 'UNREACHABLE',
    result: null,
    history: [accepted, dispatched, ['ADAPTER', 'FAILED', 'UNREACHABLE', 'NOT_STARTED', 'UNREACHABLE']],
  },
  {
    device: 'offline',
    final: ['TIMED_OUT', 'TIMED_OUT', 'UNKNOWN', 'UNKNOWN'],
    reason: 'TIMED_OUT',
    result: null,
    history: [accepted, dispatched, ['PLATFORM', 'TIMED_OUT', 'TIMED_OUT', 'UNKNOWN', 'TIMED_OUT']],
  },
  {
    device: 'slow',
    final: ['TIMED_OUT', 'DELIVERED', 'UNKNOWN', 'UNKNOWN'],
    reason: 'TIMED_OUT',
    result: null,
    history: [accepted, dispatched, begun, ['PLATFORM', 'TIMED_OUT', 'DELIVERED', 'UNKNOWN', 'TIMED_OUT']],
  },
];

/** The slow device reports steps until it answers after ten seconds: half of them come too late. */
const timeoutOf = (device: string) => (['offline', 'slow'].includes(device) ? { timeout_seconds: 5 } : {});

/**
 * Whether the machine was so slow that a deadline passed before the device had begun, or the slow device answered before
 * the sweeper and this test came.
 */
const isHeldUp = (device: string, { status, late_result, device_execution_status, history }: Answer['body']) =>
  device === 'slow'
    ? status === 'EXPIRED' || device_execution_status === 'SUCCEEDED' || late_result !== null || !hasBegun(history)
    : device === 'offline' && status === 'EXPIRED';

/** Before its end, which is the third entry if it has not. */
const hasBegun = ([, , third]: Answer['body'][]) => third.device_execution_status === 'IN_PROGRESS';

/** The record of a command to this device at its end. */
async function endOn(device: string): Promise<Answer['body']> {
  for (;;) {
    const record = await completed(tenant.reader, await create(`${device}-1`, timeoutOf(device)));
    if (!isHeldUp(device, record)) return atItsEnd(record);
  }
}

const historyOf = (record: Answer['body']): unknown[] =>
  record.history.map((entry: Answer['body']) => [
    entry.source,
    entry.status,
    entry.adapter_status,
    entry.device_execution_status,
    entry.reason?.code ?? null,
  ]);

const withoutBegun = (entries: unknown[]) => entries.filter((entry) => !isDeepStrictEqual(entry, begun));

/** The record as it was at the outcome. A slow test also reads the first late step, which is the only one kept. */
function atItsEnd(record: Answer['body']): Answer['body'] {
  const history = record.history.filter(({ at }: { at: string }) => at <= record.completed_at);
  const late = record.history.slice(history.length);
  if (late.length === 0) return record;
  expect([record.device_id, historyOf({ history: late })]).toEqual(['slow-1', [lateStep]]);
  expect(record.updated_at).toBe(late[0].at);
  return { ...record, history, updated_at: record.completed_at };
}

/**
 * Checks that the last entry is final, that every entry has a distinct instant, and that the events match the record.
 */
async function expectConsistent(record: Answer['body']): Promise<void> {
  const instants = record.history.map(({ at }: { at: string }) => at);
  expect([...new Set(instants)].sort()).toEqual(instants);
  expect([instants[0], instants.at(-1), instants.at(-1)]).toEqual([
    record.accepted_at,
    record.completed_at,
    record.updated_at,
  ]);
  const { command_id, vendor, device_id, command_type, accepted_at, completed_at, ...rest } = record;
  const ofCommand = { command_id, vendor, device_id, command_type, accepted_at };
  const events = await eventsOf(command_id);
  const common = {
    event_id: expect.any(String),
    schema_version: 1,
    tenant_id: tenant.tenant_id,
    cursor: expect.any(String),
  };
  const request = {
    request_id: expect.any(String),
    client_id: tenant.operator.client_id,
    idempotency_key: rest.idempotency_key,
  };
  expect(events).toEqual([
    {
      ...common,
      event_type: 'command.accepted',
      occurred_at: accepted_at,
      request,
      data: {
        ...ofCommand,
        status: 'ACCEPTED',
        adapter_status: 'PENDING',
        device_execution_status: 'NOT_STARTED',
        public_status: 'PENDING',
        status_reason: null,
        result: null,
        completed_at: null,
      },
    },
    {
      ...common,
      event_type: 'command.completed',
      occurred_at: completed_at,
      request,
      data: {
        ...ofCommand,
        status: rest.status,
        adapter_status: rest.adapter_status,
        device_execution_status: rest.device_execution_status,
        public_status: rest.public_status,
        status_reason: rest.status_reason,
        result: rest.result,
        completed_at,
      },
    },
  ]);
}

test.concurrent.each(outcomes)(
  'a command to a device of kind $device ends as documented, with its history and one event of each type',
  async ({ device, final, reason, result, history }) => {
    const record = await endOn(device);
    expect([record.status, record.adapter_status, record.device_execution_status, record.public_status]).toEqual(final);
    expect([record.status_reason?.code ?? null, record.result, record.late_result]).toEqual([reason, result, null]);
    // Two nodes may handle two updates in either order: progress that is handled after the result changes nothing.
    expect([history, withoutBegun(history)]).toContainEqual(historyOf(record));
    expect(record.dispatched_at).toBe(record.history[1].at);
    await expectConsistent(record);
  },
);

test('a command without an answer ends soon after its deadline', async () => {
  const { completed_at, deadline_at } = await completed(
    tenant.reader,
    await create('offline-1', { timeout_seconds: 4 }),
  );
  const late = Date.parse(completed_at) - Date.parse(deadline_at);
  expect(late).toBeGreaterThanOrEqual(0);
  // Half a second on an idle machine. What a pass misses ends after a minute.
  expect(late).toBeLessThan(30_000);
});

describe('a waiting request', () => {
  test('is answered as soon as the command is final', async () => {
    const { status, body } = await get(await create('ok-1'), '?wait_seconds=30');
    expect([status, body.status]).toEqual([200, 'SUCCEEDED']);
    const answeredAfter = Date.now() - Date.parse(body.completed_at);
    expect(answeredAfter).toBeLessThan(15_000);
  });

  test('is answered after each change that the caller has not seen, and misses none', async () => {
    const id = await create('ok-1');
    const seen: string[] = [];
    let { body: record } = await get(id);
    while (record.completed_at === null) {
      seen.push(record.updated_at);
      record = (await get(id, `?wait_seconds=30&seen_updated_at=${record.updated_at}`)).body;
      expect(record.updated_at > (seen.at(-1) ?? '')).toBe(true);
    }
    expect(record.status).toBe('SUCCEEDED');
    const instants = record.history.map(({ at }: { at: string }) => at);
    for (const instant of seen) expect(instants).toContain(instant);
  });

  test('is answered at once if the record differs from the one that the caller has seen', async () => {
    const id = await create('slow-1');
    const { accepted_at } = (await get(id)).body;
    // Once the device has begun, nothing but its steps changes for ten seconds.
    let record = (await get(id, `?wait_seconds=30&seen_updated_at=${accepted_at}`)).body;
    while (record.device_execution_status !== 'IN_PROGRESS') {
      record = (await get(id, `?wait_seconds=30&seen_updated_at=${record.updated_at}`)).body;
    }
    const startedAt = performance.now();
    await get(id, `?wait_seconds=30&seen_updated_at=${accepted_at}`);
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  test('is answered with the current record at the end of the wait', async () => {
    const id = await create('offline-1', { timeout_seconds: 300 });
    await waitUntilDispatched(id);
    const startedAt = performance.now();
    const { status, body } = await get(id, '?wait_seconds=1');
    expect([status, body.status, body.completed_at]).toEqual([200, 'DISPATCHED', null]);
    expect(performance.now() - startedAt).toBeGreaterThan(990);
  });

  test('for a missing command is refused at once', async () => {
    const startedAt = performance.now();
    expectRefusal(await get(randomUUID(), '?wait_seconds=30'), 'NOT_FOUND');
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  test('is answered when the server stops', async () => {
    const server = await startNode();
    const { demo } = server;
    const id = await newCommand(demo, { device_id: 'offline-1', timeout_seconds: 300 });
    const { body } = await signedRequest(demo, 'GET', '/api/v1/open/events?wait_seconds=30');
    const waiting = Promise.all(
      [
        `${COMMANDS}/${id}?wait_seconds=30`,
        `/api/v1/open/events?wait_seconds=30&cursor=${body.next_cursor}`,
        '/api/v1/open/device-requests?wait_seconds=30',
      ].map((target) => signedRequest(demo, 'GET', target)),
    );
    // This request came later and is answered, so the earlier ones wait by now.
    await signedRequest(demo, 'GET', `${COMMANDS}/${id}?wait_seconds=1`);
    const stoppedAt = performance.now();
    const [exitCode, [record, events, requests]] = await Promise.all([server.stop(), waiting]);
    // They wait for 30 seconds.
    expect(performance.now() - stoppedAt).toBeLessThan(20_000);
    expect(exitCode).toBe(0);
    expect([record?.status, record?.body.status]).toEqual([200, 'DISPATCHED']);
    expect([events?.status, events?.body.items, requests?.status, requests?.body.items]).toEqual([200, [], 200, []]);
  });
});

describe('cancel', () => {
  test('cancels a command that is not dispatched, for good and with one event', async () => {
    const { request_id: _, ...record } = await canceledCommand(tenant);
    await completed(tenant.reader, record.command_id);
    expect(record).toMatchObject({
      status: 'CANCELED',
      adapter_status: 'PENDING',
      device_execution_status: 'NOT_STARTED',
      public_status: 'FAILED',
      status_reason: { code: 'CANCELED' },
      dispatched_at: null,
    });
    expect(record.history.map(({ source, status }: Answer['body']) => [source, status])).toEqual([
      ['PLATFORM', 'ACCEPTED'],
      ['PLATFORM', 'CANCELED'],
    ]);
    await expectConsistent(record);
    const again = await cancelCommand(tenant.operator, record.command_id);
    const { request_id: __, ...same } = again.body;
    expect([again.status, same]).toEqual([200, record]);
    await expectConsistent(record);
  });

  test('is refused with the current status if the command is dispatched or has ended', async () => {
    const ended = await create('ok-1');
    await completed(tenant.reader, ended);
    const underWay = await create('offline-1', { timeout_seconds: 300 });
    await waitUntilDispatched(underWay);
    for (const [id, status] of [
      [ended, 'SUCCEEDED'],
      [underWay, 'DISPATCHED'],
    ] as const) {
      const answer = await cancelCommand(tenant.operator, id);
      expectRefusal(answer, 'COMMAND_NOT_CANCELABLE');
      expect(answer.body.metadata).toEqual({ status });
      expect((await get(id)).body.status).toBe(status);
    }
  });
});
