import { randomUUID } from 'node:crypto';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { newCommand } from '../../test/support/commands.js';
import { dispatch } from '../../test/support/dispatch.js';
import { startIdlePlatform } from '../../test/support/idle-platform.js';
import { movableClock } from '../../test/support/movable-clock.js';
import { openPool, openSession } from '../../test/support/open-pool.js';
import { everySlot, sweeperOfEverySlot } from '../../test/support/owned-slots.js';
import { silent } from '../../test/support/silent.js';
import { asAllTenants } from '../foundation/database/row-level-security.js';
import { openSteadyClock } from '../foundation/database/steady-clock.js';
import { localSignals } from '../foundation/signals/signals.js';
import { inProcessBus } from './bus/in-process-bus.js';
import { createDeviceRequestReceiver, sweepDeviceRequests } from './device-requests.js';
import { createDispatch } from './outbox/dispatch.js';

const HOUR = 3_600;
/** So many readings make a clock believed. */
const READINGS = 15;
const soon = { timeout: 60_000, interval: 50 };

const platform = await startIdlePlatform();
const superuser = openSession(platform.superuserUrl, { fetch_types: false });
const clock = await movableClock(platform.superuserUrl);
const database = openPool(platform.databaseUrl);

beforeEach(() => clock.setAhead(0));

const signals = localSignals();

const open = (node?: string) => newCommand(platform.demo, { device_id: 'offline-1', timeout_seconds: 300 }, node);

/** The deadline of the command passed this many seconds ago. */
const makeOverdue = (id: string, seconds: number) =>
  superuser`
    update commands set deadline_at = true_clock() - make_interval(secs => ${seconds}) where command_id = ${id}`;

const statusOf = async (id: string): Promise<string> => {
  const [row] = await superuser<{ status: string }[]>`select status from commands where command_id = ${id}`;
  return row?.status ?? '';
};

async function newDeviceRequest(): Promise<string> {
  const dedupe_id = randomUUID();
  await createDeviceRequestReceiver(
    database,
    signals,
  )({
    tenantId: platform.demo.tenant_id,
    vendor: 'vendor_a',
    ageMs: 0,
    message: { device_id: 'd-1', request_type: 'help', payload: {}, dedupe_id, expires_in_seconds: 300 },
  });
  const [row] = await superuser<{ id: string }[]>`
    select device_request_id as id from device_requests where dedupe_id = ${dedupe_id}`;
  return row?.id ?? '';
}

const statusOfRequest = async (id: string): Promise<string> => {
  const [row] = await superuser<{ status: string }[]>`
    select status from device_requests where device_request_id = ${id}`;
  return row?.status ?? '';
};

test('while the clock of the database is an hour ahead for seconds, a node ends what is overdue and nothing else', async () => {
  const node = await platform.startBeside({});
  onTestFinished(() => node.stop().then(() => {}));
  const [waiting, late, request] = [await open(node.baseUrl), await open(node.baseUrl), await newDeviceRequest()];
  await expect.poll(() => statusOf(waiting), soon).toBe('DISPATCHED');
  await clock.setAhead(HOUR);
  await makeOverdue(late, 0);
  await expect.poll(() => statusOf(late), soon).toMatch(/EXPIRED|TIMED_OUT/);
  expect([await statusOf(waiting), await statusOfRequest(request)]).toEqual(['DISPATCHED', 'PENDING']);

  await clock.setAhead(0);
  const next = await newCommand(platform.demo, { device_id: 'ok-1' }, node.baseUrl);
  await expect.poll(() => statusOf(next), soon).toBe('SUCCEEDED');
});

test('meanwhile the relay sends commands and replies that are not overdue, and sends them again', async () => {
  const { tenant_id } = platform.demo;
  const [id, request] = [await open(), await newDeviceRequest()];
  await superuser`
    update device_requests set status = 'REPLIED', reply_outcome = 'SUCCESS', replied_at = clock_timestamp(),
      replied_by_client_id = 'replier'
    where device_request_id = ${request}`;
  const { now } = await openSteadyClock(database);
  await clock.setAhead(HOUR);
  const first = await dispatch(database, tenant_id, id, now);
  expect(first).toMatchObject({ id: `command:${id}` });
  const again = await dispatch(database, tenant_id, id, now);
  expect(again).toEqual({ ...first, body: expect.any(Buffer), isSentAgain: true });
  const { remaining_ms: left, ...command } = JSON.parse(String(first?.body));
  expect(JSON.parse(String(again?.body))).toEqual({ ...command, remaining_ms: expect.any(Number) });
  // By the clock of the process, which does not believe the other one yet.
  expect(left).toBeGreaterThan(0);
  const row = { tenant_id, is_logged: false, position: '1', kind: 'DEVICE_REQUEST_REPLIED', fact_id: request };
  const reply = await asAllTenants(database, (tx) =>
    createDispatch({ ...silent(), signals: localSignals(), now }).prepare(tx, [row]),
  );
  expect(reply.messages).toMatchObject([{ id: `device-reply:${request}` }]);
});

test.each([
  ['RECENT', 0],
  ['OLD', 60],
])(
  'passes over %s deadlines believe a clock that stays ahead, and at once a clock that is back',
  async (_kind, seconds) => {
    await superuser`update slots set swept_until = clock_timestamp() - interval '1 hour'`;
    const { now, read } = await openSteadyClock(database);
    const bus = inProcessBus();
    onTestFinished(() => bus.close());
    const sweep = sweeperOfEverySlot({ ...silent(), database, signals, bus, now, thoroughEveryMs: 0, intervalMs: 500 });
    const sweepAll = async () => {
      while ((await sweep()) > 0);
      await sweepDeviceRequests(everySlot(database).transaction, signals, now);
    };
    const [waiting, late, request] = [await open(), await open(), await newDeviceRequest()];
    await makeOverdue(late, seconds);
    await clock.setAhead(HOUR);
    // Sweeps read the clock, too, about every two seconds.
    for (let readings = 0; readings < READINGS - 5; readings++) await read();
    await sweepAll();
    expect([await statusOf(late), await statusOf(waiting), await statusOfRequest(request)]).toEqual([
      'EXPIRED',
      'ACCEPTED',
      'PENDING',
    ]);

    for (let readings = 0; readings < 5; readings++) await read();
    await sweepAll();
    expect([await statusOf(waiting), await statusOfRequest(request)]).toEqual(['EXPIRED', 'EXPIRED']);
    await clock.setAhead(0);
    const [next, nextRequest] = [await open(), await newDeviceRequest()];
    await sweepAll();
    expect([await statusOf(next), await statusOfRequest(nextRequest)]).toEqual(['ACCEPTED', 'PENDING']);
    await makeOverdue(next, seconds);
    await sweepAll();
    expect(await statusOf(next)).toBe('EXPIRED');
  },
);
