import { createHmac, randomBytes } from 'node:crypto';
import { newKeyring } from '@tenant-open-platform/testing';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { newCommand } from '../../test/support/commands.js';
import { dispatch } from '../../test/support/dispatch.js';
import { startIdlePlatform } from '../../test/support/idle-platform.js';
import { beforeAdmission, newSender } from '../../test/support/new-sender.js';
import { openPool, openSession } from '../../test/support/open-pool.js';
import type { Transaction } from '../foundation/database/database.js';
import { asAllTenants, asTenant } from '../foundation/database/row-level-security.js';
import { type Keyring, parseKeyring } from '../foundation/secrets/keyring.js';
import { createAdmit } from '../gateway/auth/admission.js';
import { createLastUses } from '../gateway/auth/last-uses.js';
import { createSignatureVerifier } from '../gateway/auth/verify-signature.js';
import { createRateLimits } from '../gateway/limits/rate-limits.js';
import { listEvents } from '../resources/events/events.js';
import { logEvents } from './event-log.js';
import { compareWithBus, createContinuation } from './events.js';
import type { WaitFor } from './wait-for.js';

const platform = await startIdlePlatform();
type EventList = { items: { event_id: string }[]; next_cursor: string; restored_at: string | null };

const superuser = openSession(platform.superuserUrl);
const causes = async () =>
  (await superuser`select cause from database_generations order by generation`).map(({ cause }) => cause);
const newest = async () => Number((await superuser`select max(generation) as id from database_generations`)[0]?.id);

/** Another process. */
const opened = () => {
  const database = openPool(platform.databaseUrl);
  return { database, continueFrom: createContinuation(database) };
};

test('of many processes and cursors that notice a restore at the same time, one begins a generation', async () => {
  const before = await causes();
  const processes = Array.from({ length: 4 }, opened);
  const beyond = { generation: await newest(), seq: '1000000' };
  const found = await Promise.all(
    processes.flatMap(({ continueFrom }) => Array.from({ length: 5 }, () => continueFrom(beyond))),
  );
  expect(await causes()).toEqual([...before, 'WITNESS']);
  expect(new Set(found.map(({ seq }) => seq)).size).toBe(1);
  expect(found.every(({ restoredAt }) => restoredAt !== null)).toBe(true);
});

test('a cursor of a generation that this process has not seen yet begins none', async () => {
  const { database, continueFrom } = opened();
  expect(database.generations.current().id).toBe(0);
  const before = await causes();
  const generation = await newest();
  expect(await continueFrom({ generation, seq: '0' })).toEqual({ seq: '0', restoredAt: null });
  expect(database.generations.current().id).toBe(generation);
  expect(await causes()).toEqual(before);
});

test('an event on the bus that the log lacks begins one generation, however many processes compare', async () => {
  const before = await causes();
  const lost = {
    event_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
    event_type: 'command.completed',
    tenant_id: 'demo',
    data: { command_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6e', accepted_at: new Date().toISOString() },
  };
  const storedAt = new Date(Date.now() + 60_000);
  const bus = { lastEvent: async () => ({ body: Buffer.from(JSON.stringify(lost)), storedAt }) };
  const processes = Array.from({ length: 4 }, () => opened().database);
  // All know the generation that ends: whoever looks later knows the new one, for which this event is too new to be lost.
  await Promise.all(processes.map((database) => database.generations.look()));
  await Promise.all(processes.map((database) => compareWithBus(database, bus)));
  expect(await causes()).toEqual([...before, 'WITNESS']);

  const { database } = opened();
  await database.generations.look();
  await compareWithBus(database, { lastEvent: async () => null });
  expect(await causes()).toEqual([...before, 'WITNESS']);
});

test('a command that was accepted since Postgres started is no command of a copy, and is sent', async () => {
  const id = await newCommand(platform.demo, { timeout_seconds: 300 });
  const { database, continueFrom } = opened();
  await database.generations.look();
  const before = await causes();
  await continueFrom({ generation: await newest(), seq: '1000000' });
  expect(await causes()).toEqual([...before, 'WITNESS']);
  const [declared] = await superuser`select copied_until from database_generations order by generation desc limit 1`;
  expect(declared?.copied_until).toBeNull();
  expect(await dispatch(database, platform.demo.tenant_id, id)).not.toBeNull();
});

test('a reader who waits while a generation begins is told, and goes on after the last event that both have', async () => {
  const { tenant_id } = platform.demo;
  const { database, continueFrom } = opened();
  const beginGeneration = async () => continueFrom({ generation: await newest(), seq: '1000000' });
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
  const list = listEvents(waitFor, keyring, database);
  const read = async (query: object) =>
    (await list({ query: { limit: 10, order: 'asc', ...query } } as never, call as never, {})).body as EventList;

  await database.generations.look();
  await beginGeneration();
  const shared = (await read({ from: 'now' })).next_cursor;
  const command_id = await newCommand(platform.demo, { timeout_seconds: 300 });
  await asAllTenants(database, (tx) => logEvents(tx, [{ tenant_id, command_id, event_type: 'command.accepted' }]));
  const { items, next_cursor } = await read({ cursor: shared });
  whileWaiting = async () => {
    whileWaiting = async () => {};
    await beginGeneration();
  };
  const after = await read({ cursor: next_cursor, wait_seconds: 20 });
  expect(after).toMatchObject({ items: items.map(({ event_id }) => ({ event_id })), restored_at: expect.any(String) });
  expect(items).toHaveLength(1);
  expect(await read({ cursor: after.next_cursor })).toMatchObject({ items: [], restored_at: null });
});

test('in a new generation the secrets are read again: a version may belong to another secret', async () => {
  const { database, continueFrom } = opened();
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
  await continueFrom({ generation: await newest(), seq: '1000000' });
  expect(await verify(lost)).toBeNull();
  expect(await verify(signedWith(secret))).toMatchObject({ secretVersion: 1 });
});

test('only a request that was signed before the generation is told so, not one of a clock that is ahead', async () => {
  const { database, continueFrom } = opened();
  await database.generations.look();
  await continueFrom({ generation: await newest(), seq: '1000000' });
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
