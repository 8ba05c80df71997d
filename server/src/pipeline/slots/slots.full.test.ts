import { setTimeout as delay } from 'node:timers/promises';
import type { PlatformEvent } from '@tenant-open-platform/contract';
import { expect, test, vi } from 'vitest';
import { commandToAccept } from '../../../test/support/command-to-accept.js';
import { startIdlePlatform } from '../../../test/support/idle-platform.js';
import { openPool, openSession } from '../../../test/support/open-pool.js';
import { startRelay, sweeperOfEverySlot } from '../../../test/support/owned-slots.js';
import { silent } from '../../../test/support/silent.js';
import { asAllTenants } from '../../foundation/database/row-level-security.js';
import { localSignals, topics } from '../../foundation/signals/signals.js';
import { allSlots, slotOf } from '../../foundation/slots.js';
import { createCommandAccepter } from '../accept.js';
import { inProcessBus } from '../bus/in-process-bus.js';
import { logEvents, readEvents } from '../event-log.js';
import { createDispatch } from '../outbox/dispatch.js';
import { createCommandReporter } from '../reports.js';

const soon = { timeout: 60_000, interval: 20 };

/** slots.cluster.test.ts logs 100,000. */
const EVENTS = Number(process.env.SLOT_EVENTS ?? 8_000);
const TENANTS = Array.from({ length: 40 }, (_, number) => `tenant-${number}`);
const IN_TRANSACTION = 20;
const WORKERS = 3;

/** Only the parts of this file write and relay. */
const platform = await startIdlePlatform();
const database = openPool(platform.databaseUrl);
const superuser = openSession(platform.superuserUrl);
await superuser`
  insert into tenants (tenant_id, name)
  select tenant_id, tenant_id from unnest(${TENANTS}::text[]) as tenant_id`;
await superuser`
  insert into credentials (
    tenant_id, client_id, name, status, allowed_clock_skew_seconds, replay_window_seconds, secret_version, secret_sealed
  )
  select tenant_id, 'client-' || tenant_id, 'c', 'ACTIVE', 300, 300, 1, '' from unnest(${TENANTS}::text[]) as tenant_id`;

const BUSY = 'tenant-0';
const OTHER = TENANTS.find((tenantId) => slotOf(tenantId) !== slotOf(BUSY)) as string;

test('the database and the program agree about the slot of a tenant', async () => {
  const rows = await superuser<{ tenant_id: string; slot: number }[]>`
    select tenant_id, tenant_slot_v1(tenant_id) as slot from tenants`;
  expect(rows.length).toBeGreaterThan(40);
  for (const { tenant_id, slot } of rows) expect([tenant_id, slot]).toEqual([tenant_id, slotOf(tenant_id)]);
  expect(new Set(rows.map(({ slot }) => slot)).size).toBeGreaterThan(12);
});

const accept = createCommandAccepter(database);

async function newCommand(tenantId: string): Promise<string> {
  const caller = { tenantId, clientId: `client-${tenantId}` };
  const acceptance = await accept({ caller, command: commandToAccept() });
  if (acceptance.outcome !== 'ACCEPTED') throw new Error(acceptance.outcome);
  return acceptance.command_id;
}

const statusesOf = async (...ids: string[]) =>
  Promise.all(
    ids.map(
      async (id) =>
        (
          await superuser<{ status: string }[]>`
      select status from commands where command_id = ${id}`
        )[0]?.status,
    ),
  );

const signals = localSignals();

function startWorker(bus = inProcessBus()) {
  const pool = openPool(platform.databaseUrl);
  const relay = startRelay({
    ...silent(),
    database: pool,
    signals,
    bus: { ...bus, untakenUpdates: async () => new Map(), unreadyReason: () => null },
    dispatch: createDispatch({ ...silent(), signals }),
    readEvents: (positions, limit) => readEvents(pool, positions, limit),
  });
  return {
    async stop(): Promise<void> {
      await relay.stop();
      await pool.close();
    },
  };
}

/** As a process that is frozen in a transaction: it holds the lock of the log of one slot. */
async function lockLog(tenantId: string): Promise<{ release: () => Promise<void> }> {
  const session = openSession(platform.superuserUrl);
  await session`select pg_advisory_lock(512099, ${slotOf(tenantId)}::int)`;
  return { release: async () => void (await session`select pg_advisory_unlock_all()`) };
}

test('while the log of a slot is locked, the commands of other slots are dispatched, reported and swept', async () => {
  const late = await newCommand(BUSY);
  const lock = await lockLog(BUSY);
  const worker = startWorker();
  // The relay meets the busy slot alone, and waits for it.
  const isMet = () => superuser`select from pg_stat_activity where wait_event = 'advisory'`;
  await vi.waitFor(async () => expect(await isMet()).not.toEqual([]), soon);
  const other = await newCommand(OTHER);
  await vi.waitFor(async () => expect(await statusesOf(other, late)).toEqual(['DISPATCHED', 'ACCEPTED']), soon);
  await lock.release();
  await vi.waitFor(async () => expect(await statusesOf(other, late)).toEqual(['DISPATCHED', 'DISPATCHED']), soon);

  const report = createCommandReporter(database, localSignals(), silent().metrics);
  const succeeded = (tenantId: string, command_id: string) =>
    report({
      tenantId,
      vendor: 'vendor_a',
      sentAt: new Date(),
      update: { command_id, device_execution_status: 'SUCCEEDED' },
    });
  const second = await lockLog(BUSY);
  // Both share a transaction, which waits in vain.
  expect(await Promise.all([succeeded(BUSY, late), succeeded(OTHER, other)])).toEqual(['BUSY', 'CHANGED']);
  expect(await statusesOf(other, late)).toEqual(['SUCCEEDED', 'DISPATCHED']);
  await second.release();
  // The bus sends it again.
  await vi.waitFor(async () => expect(await succeeded(BUSY, late)).toBe('CHANGED'), soon);

  const overdue = [await newCommand(BUSY), await newCommand(OTHER)] as const;
  await worker.stop();
  await superuser`
    update commands set deadline_at = now() - interval '1 second' where command_id = any (${overdue}::uuid[])`;
  const sweep = sweeperOfEverySlot({
    ...silent(),
    database,
    signals: localSignals(),
    bus: inProcessBus(),
    intervalMs: 500,
  });
  const third = await lockLog(BUSY);
  await vi.waitFor(async () => {
    await sweep();
    expect((await statusesOf(overdue[1]))[0]).toMatch(/EXPIRED|TIMED_OUT/);
  }, soon);
  expect((await statusesOf(overdue[0]))[0]).toMatch(/ACCEPTED|DISPATCHED/);
  await third.release();
  await vi.waitFor(async () => {
    await sweep();
    expect((await statusesOf(overdue[0]))[0]).toMatch(/EXPIRED|TIMED_OUT/);
  }, soon);
});

type Logged = { tenant_id: string; command_id: string };

/** Ended commands of all tenants, whose events a CLIENT principal of each tenant reads. */
async function endedCommands(count: number): Promise<Logged[]> {
  await superuser`
    insert into bus_principals (
      tenant_id, principal_id, bus_user, bus_account_public_key, bus_user_public_key, principal_type, status
    )
    select tenant_id, gen_random_uuid(), tenant_id, 'a', tenant_id, 'CLIENT', 'ACTIVE'
    from unnest(${TENANTS}::text[]) as tenant_id`;
  return superuser<Logged[]>`
    insert into commands (
      tenant_id, command_id, idempotency_key, vendor, device_id, command_type, payload,
      timeout_seconds, status, adapter_status, device_execution_status, accepted_at, completed_at, deadline_at,
      updated_at, created_by_client_id, request_id
    )
    select 'tenant-' || n % ${TENANTS.length}, gen_random_uuid(), gen_random_uuid(), 'vendor_a', 'd-1', 'reboot', '{}',
      300, 'SUCCEEDED', 'DELIVERED', 'SUCCEEDED', now(), now(), now() + interval '1 hour', now(), 'client-tenant-' || n % ${TENANTS.length}, 'r'
    from generate_series(1, ${count}::int) as n
    returning tenant_id, command_id`;
}

/** Workers come and stop, and leases expire as if their holder had frozen, every moment. At least one worker relays. */
async function moveSlots(bus: ReturnType<typeof inProcessBus>, until: () => boolean): Promise<number> {
  let workers = [startWorker(bus)];
  let changes = 0;
  while (!until()) {
    await delay(100);
    changes++;
    const [first] = workers;
    if (changes % 3 === 0) {
      await superuser`update slots set owned_until = now() - interval '1 second' where slot % 3 = ${changes % 2}`;
    } else if (first === undefined || workers.length < WORKERS) {
      workers.push(startWorker(bus));
    } else {
      await first.stop();
      workers = workers.slice(1);
    }
  }
  await Promise.all(workers.map((worker) => worker.stop()));
  return changes;
}

test('each tenant gets its events in order and none twice, while the slots move all the time', {
  // Without an event, it would wait for it until then.
  timeout: 15 * EVENTS,
}, async () => {
  const commands = await endedCommands(EVENTS / 2);
  const mine = new Set(commands.map(({ command_id }) => command_id));
  const bus = inProcessBus();
  const published = new Map<string, string[]>(TENANTS.map((tenantId) => [tenantId, []]));
  let count = 0;
  await bus.consume({
    stream: 'TOP_EVENTS',
    durable: 'test',
    handle: async ({ body }) => {
      const { tenant_id, event_id, data } = JSON.parse(body.toString()) as PlatformEvent;
      if (!mine.has(data.command_id)) return 'DONE';
      count++;
      published.get(tenant_id)?.push(event_id);
      return 'DONE';
    },
  });
  const moving = moveSlots(bus, () => count >= EVENTS);
  const ended = {
    event_type: 'command.completed',
    vendor: 'vendor_a',
    status: 'SUCCEEDED',
    reason: undefined,
  } as const;
  const log = async (part: readonly Logged[]) => {
    for (let at = 0; at < part.length; at += IN_TRANSACTION) {
      const events = part.slice(at, at + IN_TRANSACTION).flatMap((command) => [
        { ...command, event_type: 'command.accepted' as const },
        { ...command, ...ended },
      ]);
      await asAllTenants(database, async (tx) => {
        await logEvents(tx, events);
        // Others get later numbers meanwhile, and would commit before.
        await delay(Math.random() * 20);
      });
      signals.send(allSlots.map(topics.eventLog));
    }
  };
  const quarter = commands.length / 4;
  await Promise.all([0, 1, 2, 3].map((part) => log(commands.slice(part * quarter, (part + 1) * quarter))));
  expect(await moving).toBeGreaterThan(3);
  const logged = await superuser<{ tenant_id: string; ids: string[] }[]>`
    select tenant_id, array_agg(event_id order by seq) as ids from events
    where command_id = any (${[...mine]}::uuid[]) group by tenant_id`;
  expect(logged).toHaveLength(TENANTS.length);
  for (const { tenant_id, ids } of logged) expect(published.get(tenant_id)).toEqual(ids);
});
