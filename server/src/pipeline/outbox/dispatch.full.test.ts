import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { newCommand } from '../../../test/support/commands.js';
import { dispatch as dispatchOne, dispatchTogether } from '../../../test/support/dispatch.js';
import { startIdlePlatform } from '../../../test/support/idle-platform.js';
import { openPool, openSession } from '../../../test/support/open-pool.js';
import { everySlot } from '../../../test/support/owned-slots.js';
import { silent } from '../../../test/support/silent.js';
import { startLink } from '../../../test/support/start-link.js';
import { asAllTenants } from '../../foundation/database/row-level-security.js';
import { localSignals, topics } from '../../foundation/signals/signals.js';
import { slotOf } from '../../foundation/slots.js';
import { createDeviceRequestReceiver } from '../device-requests.js';
import { createDispatch } from './dispatch.js';

/** Neither relay nor sweeper runs here: the test itself does the relay's work. */
const platform = await startIdlePlatform();
const superuser = openSession(platform.superuserUrl);
const database = openPool(platform.databaseUrl);

const create = () => newCommand(platform.demo);

const passDeadline = (id: string) =>
  superuser`update commands set deadline_at = now() - interval '1 millisecond' where command_id = ${id}`;

/** The messages to the bus, and the state of the command afterwards. */
async function dispatch(id: string) {
  const message = await dispatchOne(database, platform.demo.tenant_id, id);
  const [row] = await superuser`select status, dispatched_at from commands where command_id = ${id}`;
  return { published: message === null ? 0 : 1, status: row?.status, isDispatched: row?.dispatched_at !== null };
}

test('the admission of a request and its command are one transaction', async () => {
  // The first command loads the catalog, and is stored after its admission.
  await create();
  const id = await create();
  // xmin is the transaction that wrote a row.
  const [row] = await superuser`
    select exists (select from nonces where nonces.xmin = commands.xmin) as is_shared from commands where command_id = ${id}`;
  expect(row).toEqual({ is_shared: true });
});

test('a command is DISPATCHED and published; a relay that takes over publishes it again', async () => {
  const id = await create();
  expect(await dispatch(id)).toEqual({ published: 1, status: 'DISPATCHED', isDispatched: true });
  expect(await dispatch(id)).toEqual({ published: 1, status: 'DISPATCHED', isDispatched: true });
});

test('the relay leaves a command past its deadline to the sweeper, which makes it EXPIRED', async () => {
  const id = await create();
  await passDeadline(id);
  expect(await dispatch(id)).toEqual({ published: 0, status: 'ACCEPTED', isDispatched: false });
});

test('a dispatched command is not published again past its deadline', async () => {
  const id = await create();
  await dispatch(id);
  await passDeadline(id);
  expect(await dispatch(id)).toMatchObject({ published: 0 });
});

const statusOf = async (id: string) => {
  const [row] = await superuser<{ status: string }[]>`select status from commands where command_id = ${id}`;
  return row?.status;
};

const passesNow = (id: string, sql: postgres.ISql = superuser) =>
  sql`update commands set deadline_at = clock_timestamp() where command_id = ${id}`;

test('a command whose deadline passes while the transaction waits is neither dispatched nor published', async () => {
  const id = await create();
  const passes = () => passesNow(id);
  expect(await dispatchTogether(database, platform.demo.tenant_id, [id], undefined, passes)).toEqual([null]);
  expect(await statusOf(id)).toBe('ACCEPTED');
});

test('nor is one whose deadline passes while another transaction has locked it', async () => {
  const id = await create();
  let dispatching: Promise<unknown> = Promise.resolve();
  await superuser.begin(async (tx) => {
    await tx`select from commands where command_id = ${id} for update`;
    dispatching = dispatchTogether(database, platform.demo.tenant_id, [id]);
    await expect.poll(async () => (await tx`select from pg_locks where not granted`).length).toBeGreaterThan(0);
    await passesNow(id, tx);
  });
  expect(await dispatching).toEqual([null]);
  expect(await statusOf(id)).toBe('ACCEPTED');
});

/** A connection that keeps the statements of a transaction that has begun, until it is let go. */
async function slowConnection() {
  const link = await startLink(platform.databaseUrl);
  onTestFinished(link.stop);
  const slow = openPool(link.through(platform.databaseUrl), { max: 1 });
  let present = '';
  async function hold(): Promise<void> {
    const [row] = await superuser<{ present: string }[]>`select clock_timestamp()::text as present`;
    present = row?.present ?? '';
    link.hold();
  }
  const sent = () => expect.poll(link.held).toBeGreaterThan(0);
  return { slow, now: () => present, hold, sent, letGo: link.letGo };
}

test('nor is one whose deadline passes while the statement is on its way to the database', async () => {
  const id = await create();
  const { slow, now, hold, sent, letGo } = await slowConnection();
  const dispatching = dispatchTogether(slow, platform.demo.tenant_id, [id], now, hold);
  await sent();
  await passesNow(id);
  letGo();
  expect(await dispatching).toEqual([null]);
  expect(await statusOf(id)).toBe('ACCEPTED');
});

test('a reply is not published if its device request expires while the statement is on its way', async () => {
  const { tenant_id } = platform.demo;
  const message = { device_id: 'd-1', request_type: 'help', payload: {}, dedupe_id: randomUUID() };
  const receive = createDeviceRequestReceiver(database, localSignals());
  await receive({ tenantId: tenant_id, vendor: 'vendor_a', ageMs: 0, message });
  const [row] = await superuser<{ fact_id: string }[]>`
    update device_requests set status = 'REPLIED', reply_outcome = 'SUCCESS', replied_at = clock_timestamp(),
      replied_by_client_id = 'replier'
    where dedupe_id = ${message.dedupe_id} returning device_request_id as fact_id`;
  const fact = {
    tenant_id,
    is_logged: false,
    position: '1',
    kind: 'DEVICE_REQUEST_REPLIED',
    fact_id: row?.fact_id ?? '',
  };
  const { slow, now, hold, sent, letGo } = await slowConnection();
  const { prepare } = createDispatch({ ...silent(), signals: localSignals(), now });
  const preparing = asAllTenants(slow, async (tx) => {
    await hold();
    return prepare(tx, [fact]);
  });
  await sent();
  await superuser`update device_requests set expires_at = clock_timestamp() where device_request_id = ${fact.fact_id}`;
  letGo();
  expect((await preparing).messages).toEqual([null]);
});

test('a message never claims more time than is left as it leaves', async () => {
  const until = async (id: string) => {
    const [row] = await superuser<{ ms: number }[]>`
      select (extract(epoch from deadline_at - clock_timestamp()) * 1000)::float8 as ms from commands
      where command_id = ${id}`;
    return row?.ms ?? 0;
  };
  let id = '';
  let message = null;
  // On a slow machine the deadline passes first.
  while (message === null) {
    id = await newCommand(platform.demo, { timeout_seconds: 2 });
    message = await dispatchOne(database, platform.demo.tenant_id, id);
  }
  for (let left = 1; left > 0; ) {
    const atMost = await until(id);
    left = JSON.parse(String(message.body)).remaining_ms;
    expect(left).toBeLessThanOrEqual(Math.max(0, atMost));
  }
});

test.each(['EXPIRED', 'CANCELED', 'SUCCEEDED', 'FAILED', 'TIMED_OUT'])(
  'a command that is %s is not published',
  async (status) => {
    const id = await create();
    await superuser`update commands set status = ${status}, completed_at = now() where command_id = ${id}`;
    expect(await dispatch(id)).toEqual({ published: 0, status, isDispatched: false });
  },
);

test('the end of a command that the bus refuses is counted, and wakes the requests that wait for it', async () => {
  const { tenant_id } = platform.demo;
  const fact_id = await create();
  await dispatch(fact_id);
  const services = silent();
  const signals = localSignals();
  const woken: string[] = [];
  for (const topic of [
    topics.command(tenant_id, fact_id),
    topics.events(tenant_id),
    topics.eventLog(slotOf(tenant_id)),
  ]) {
    signals.listen(topic, () => woken.push(topic));
  }
  const row = { tenant_id, fact_id, is_logged: false, kind: 'COMMAND_ACCEPTED', position: '0' };
  await createDispatch({ ...services, signals }).endUndeliverable(everySlot(database).transaction, row, 'too large');
  expect(woken.toSorted()).toEqual([
    topics.command(tenant_id, fact_id),
    topics.eventLog(slotOf(tenant_id)),
    topics.events(tenant_id),
  ]);
  const counted = 'top_commands_completed_total{status="FAILED",vendor="vendor_a"} 1';
  expect(await services.metrics.render()).toContain(`\n${counted}\n`);
});

test('commands are locked in the order of their keys and before the event log, so that reports and the relay never wait for each other', async () => {
  const ids = [await create(), await create(), await create()];
  const [first = '', ...later] = ids.toSorted();
  let dispatching: Promise<unknown> = Promise.resolve();
  await superuser.begin(async (tx) => {
    await tx`select from commands where command_id = ${first} for update`;
    dispatching = dispatchTogether(database, platform.demo.tenant_id, [...later, first]);
    const waiting = async () => (await tx`select from pg_locks where not granted`).length;
    await expect.poll(waiting).toBeGreaterThan(0);
    const free = await tx`select from commands where command_id in ${tx(later)} for update skip locked`;
    expect(free).toHaveLength(2);
    const ofLog = await tx`
      select from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where locktype = 'advisory' and datname = current_database()`;
    expect(ofLog).toHaveLength(0);
  });
  expect(await dispatching).toMatchObject([{}, {}, {}]);
});
