import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { newKeyring } from '@tenant-open-platform/testing';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newCommand } from '../../test/support/commands.js';
import { dispatch } from '../../test/support/dispatch.js';
import { startIdlePlatform } from '../../test/support/idle-platform.js';
import { beforeAdmission, newSender } from '../../test/support/new-sender.js';
import { openPool, openSession } from '../../test/support/open-pool.js';
import { silent } from '../../test/support/silent.js';
import type { Transaction } from '../foundation/database/database.js';
import { asAllTenants, asTenant } from '../foundation/database/row-level-security.js';
import { type Keyring, parseKeyring } from '../foundation/secrets/keyring.js';
import { allSlots } from '../foundation/slots.js';
import { createAdmit } from '../gateway/auth/admission.js';
import { createLastUses } from '../gateway/auth/last-uses.js';
import { createSignatureVerifier } from '../gateway/auth/verify-signature.js';
import { createRateLimits } from '../gateway/limits/rate-limits.js';
import { listEvents } from '../resources/events/events.js';
import type { Witness } from './bus/witness-text.js';
import { logEvents } from './event-log.js';
import { createContinuation, tagOf } from './events.js';
import { renewSlots } from './slots/slot-owner.js';
import type { WaitFor } from './wait-for.js';
import { compareWithBus } from './witness.js';

const platform = await startIdlePlatform();
type EventList = { items: { event_id: string }[]; next_cursor: string; restored_at: string | null };

const superuser = openSession(platform.superuserUrl);
const soon = { timeout: 60_000, interval: 10 };
const causes = async () =>
  (await superuser`select cause from database_generations order by began_at, cause`).map(({ cause }) => cause).sort();

/** Another process. */
const opened = (options: Parameters<typeof openPool>[1] = {}) => {
  const database = openPool(platform.databaseUrl, options);
  return { database, continueFrom: createContinuation(database) };
};

type Opened = ReturnType<typeof opened>;

/** What the bus has of this database. */
async function witness(): Promise<Witness> {
  const rows = await superuser<Witness['generations'] & { number: number }[]>`
    select id, shared_until::float8, number::float8 from database_generations order by shared_until nulls first`;
  const [{ id, number } = { id: '', number: 0 }] = rows as unknown as Witness[];
  const generations = rows.map(({ id, shared_until }) => ({ id, shared_until })) as Witness['generations'];
  return { id, number, generations };
}

const compare = ({ database }: Opened, ofBus: Witness | string | null) => {
  const read = async () => (typeof ofBus === 'object' && ofBus !== null ? JSON.stringify(ofBus) : ofBus);
  return compareWithBus({ ...silent(), database, bus: { witness: { read, write: async () => {} } } })();
};

async function beginGeneration({ database }: Opened): Promise<void> {
  const known = await witness();
  await compare({ database } as Opened, { ...known, number: known.number + 1 });
}

const isCompared = (compared: boolean) =>
  superuser`update database_generations set is_compared = ${compared} where shared_until is null`;

test('of many processes that see that the bus has a later number, one begins a generation', async () => {
  const before = await causes();
  const known = await witness();
  const processes = Array.from({ length: 4 }, () => opened());
  const later = { ...known, number: known.number + 1 };
  const session = openSession(platform.superuserUrl);
  await session`begin`;
  await session`select pg_advisory_xact_lock(5120998349)`;
  const comparing = processes.flatMap((one) => [compare(one, later), compare(one, later)]);
  await vi.waitFor(async () => {
    const waiting = await session`select from pg_locks where locktype = 'advisory' and not granted`;
    expect(waiting).toHaveLength(comparing.length);
  }, soon);
  await session`commit`;
  await Promise.all(comparing);
  expect(await causes()).toEqual([...before, 'WITNESS'].sort());
  expect(new Set(processes.map(({ database }) => database.generations.current().id)).size).toBe(1);
});

test('a bus that is empty or damaged, went back or is of another database begins no generation', async () => {
  const one = opened();
  const before = await causes();
  const known = await witness();
  const other = randomUUID();
  for (const text of [null, '', '{', '{"id": 1}']) expect(await compare(one, text)).toBe(true);
  for (const more of [-1, 0.5]) expect(await compare(one, { ...known, number: known.number + more })).toBe(true);
  expect(await compare(one, { ...known, id: known.generations.at(-1)?.id as string, number: 1_000 })).toBe(true);
  const ofOther = { id: other, number: 1_000, generations: [{ id: other, shared_until: null }] };
  expect(await compare(one, ofOther)).toBe(true);
  expect(await causes()).toEqual(before);
});

test('a cursor beyond the end or of an unknown generation begins none: it is refused once the bus was asked', async () => {
  const { database, continueFrom } = opened();
  await database.generations.look();
  const before = await causes();
  const beyond = { generation: tagOf(database.generations.current().id), seq: '1000000' };
  const unknown = { generation: '00c0ffee', seq: '0' };
  await isCompared(false);
  for (const cursor of [beyond, unknown]) {
    await expect(continueFrom(cursor)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  }
  await isCompared(true);
  for (const cursor of [beyond, unknown]) expect(await continueFrom(cursor)).toBeNull();
  expect(await causes()).toEqual(before);
});

test('a cursor of a generation that this process has not seen yet is continued', async () => {
  const { database, continueFrom } = opened();
  expect(database.generations.current().id).toBe('');
  const generation = tagOf((await witness()).id);
  expect(await continueFrom({ generation, seq: '0' })).toEqual({ seq: '0', restoredAt: null });
});

test('after two restores in a row, a cursor of the generation between them goes on at what it shares', async () => {
  const one = opened();
  const known = await witness();
  const lost = randomUUID();
  const parted = known.generations.map(({ id, shared_until }) => ({
    id,
    shared_until: Math.min(shared_until ?? 7, 7),
  }));
  await compare(one, { id: lost, number: 3, generations: [{ id: lost, shared_until: null }, ...parted] });
  const found = await one.continueFrom({ generation: tagOf(lost), seq: '900' });
  expect(Number(found?.seq)).toBeLessThanOrEqual(7);
  expect(found?.restoredAt).toEqual(expect.any(Date));
  const after = await witness();
  await compare(one, { id: lost, number: 4, generations: [{ id: lost, shared_until: null }, ...parted] });
  expect(await witness()).toEqual(after);
});

test('a command that was accepted since Postgres started is no command of a copy, and is sent; one that was sent is not sent again', async () => {
  const id = await newCommand(platform.demo, { timeout_seconds: 300 });
  const sent = await newCommand(platform.demo, { timeout_seconds: 300 });
  const process = opened();
  await dispatch(process.database, platform.demo.tenant_id, sent);
  await beginGeneration(process);
  expect(await dispatch(process.database, platform.demo.tenant_id, id)).not.toBeNull();
  expect(await superuser`select command_id from commands where is_copied and command_id in (${id}, ${sent})`).toEqual([
    { command_id: sent },
  ]);
});

test('the slots lose their owners: the numbers that these remember are of another history', async () => {
  const process = opened();
  await renewSlots(process.database, { worker: 'former', canPublish: true, known: [] });
  await beginGeneration(process);
  const { owned } = await renewSlots(process.database, { worker: 'next', canPublish: true, known: [] });
  expect(owned.map(({ slot }) => slot)).toEqual(allSlots);
});

test.each(['WITNESS', 'IDENTITY'])(
  'marking the commands of a copy may take longer than a statement may and than a process lives: %s',
  async (cause) => {
    const id = await newCommand(platform.demo, { timeout_seconds: 300 });
    const before = await causes();
    await superuser`select pg_advisory_lock(42)`;
    await superuser.unsafe(`
    create function mark_slowly() returns trigger language plpgsql as $$ begin
      while not pg_try_advisory_xact_lock(42) loop perform pg_sleep(0.01); end loop;
      return new;
    end $$;
    create trigger mark_slowly before update of is_copied on commands for each row execute function mark_slowly()`);
    onTestFinished(async () => {
      await superuser`select pg_advisory_unlock_all()`;
      await superuser`drop function mark_slowly cascade`;
    });
    // As if Postgres had started now, on the copy.
    await superuser`update database_generations set xid_at_start = pg_current_xact_id()::xid where shared_until is null`;
    const impatient = { statement_timeout: 100, client_connection_check_interval: '10ms' };
    const one = opened({ answer_timeout: 1, connection: impatient });
    const known = await witness();
    if (cause === 'IDENTITY') await superuser`update database_generations set identity = 'of another'`;
    const begin = () =>
      cause === 'IDENTITY' ? one.database.generations.look() : compare(one, { ...known, number: known.number + 1 });
    await expect(begin()).rejects.toMatchObject({ code: 'ANSWER_TIMEOUT' });
    expect(await causes()).toEqual(before);
    await superuser`select pg_advisory_unlock(42)`;
    await vi.waitFor(async () => expect(await causes()).toEqual([...before, cause].sort()), soon);
    expect(await superuser`select is_copied from commands where command_id = ${id}`).toEqual([{ is_copied: true }]);
  },
);

test('a reader who waits while a generation begins is told, and goes on after the last event that both have', async () => {
  const { tenant_id } = platform.demo;
  const process = opened();
  const { database } = process;
  const call = {
    tenantId: tenant_id,
    asTenant: <Result>(work: (tx: Transaction) => Promise<Result>) => asTenant(database, tenant_id, work),
  };
  let whileWaiting: () => Promise<unknown> = async () => {};
  const waitFor: WaitFor = async ({ look }) => {
    const found = await look();
    await whileWaiting();
    return found;
  };
  const keyring = { ...parseKeyring(newKeyring(), 'the test'), cursorKey: randomBytes(32) };
  const list = listEvents({ ...silent(), waitFor, keyring, database });
  const read = async (query: object) =>
    (await list({ query: { limit: 10, order: 'asc', ...query } } as never, call as never, {})).body as EventList;

  await database.generations.look();
  await beginGeneration(process);
  const shared = (await read({ from: 'now' })).next_cursor;
  const command_id = await newCommand(platform.demo, { timeout_seconds: 300 });
  await asAllTenants(database, (tx) => logEvents(tx, [{ tenant_id, command_id, event_type: 'command.accepted' }]));
  const { items, next_cursor } = await read({ cursor: shared });
  whileWaiting = async () => {
    whileWaiting = async () => {};
    await beginGeneration(process);
  };
  const after = await read({ cursor: next_cursor, wait_seconds: 20 });
  expect(after).toMatchObject({ items: items.map(({ event_id }) => ({ event_id })), restored_at: expect.any(String) });
  expect(items).toHaveLength(1);
  expect(await read({ cursor: after.next_cursor })).toMatchObject({ items: [], restored_at: null });
});

test('in a new generation the secrets are read again: a version may belong to another secret', async () => {
  const process = opened();
  const { database } = process;
  let secret = 'of the lost history';
  const keyring = {
    keyIds: ['test'],
    has: () => true,
    seal: () => Buffer.alloc(0),
    open: (_sealed: Buffer, owner: string) => (owner === 'stand-in' ? 'nobody knows it' : secret),
  } as unknown as Keyring;
  const verify = createSignatureVerifier(database, keyring, pino({ level: 'silent' }));
  const signedWith = (key: string) => ({
    clientId: platform.demo.client_id,
    stringToSign: 'text',
    signature: createHmac('sha256', key).update('text').digest(),
    network: '192.0.2.1',
  });
  const lost = signedWith(secret);
  expect(await verify(lost)).toMatchObject({ secretVersion: 1 });
  secret = 'of the restored history';
  expect(await verify(lost)).toMatchObject({ secretVersion: 1 });
  await beginGeneration(process);
  expect(await verify(lost)).toBeNull();
  expect(await verify(signedWith(secret))).toMatchObject({ secretVersion: 1 });
});

test('only a request that was signed before the generation is told so, not one of a clock that is ahead', async () => {
  const process = opened();
  const { database } = process;
  await beginGeneration(process);
  const { beganAt } = database.generations.current();
  const quotas = {
    REQUESTS_PER_MINUTE: 100,
    REQUESTS_PER_MINUTE_PER_TENANT: 100,
    FAILED_AUTHENTICATIONS_PER_MINUTE: 100,
  };
  const limits = createRateLimits(quotas);
  const admit = createAdmit({ database, limits, lastUses: createLastUses(database), changeBytesPerDay: 0 });
  const askAt = async (seconds: number) => {
    const signed = await newSender(database, platform.demo);
    return admit(beforeAdmission({ ...signed, timestamp: String(seconds) }));
  };
  const began = beganAt.getTime() / 1_000;
  await expect(askAt(began - 1)).rejects.toMatchObject({
    code: 'CLOCK_SKEW',
    extra: { metadata: { signed_not_before: beganAt.toISOString() } },
  });
  await expect(askAt(began + 3_600)).rejects.toMatchObject({
    code: 'CLOCK_SKEW',
    extra: { metadata: expect.not.objectContaining({ signed_not_before: expect.anything() }) },
  });
  expect((await askAt(began)).operation.name).toBe('me.get');
});
