import { expect, test } from 'vitest';
import { startIdlePlatform } from '../../test/support/idle-platform.js';
import { openPool, openSession } from '../../test/support/open-pool.js';
import { asAllTenants } from '../foundation/database/row-level-security.js';
import { newId } from '../foundation/ids.js';
import { localSignals } from '../foundation/signals/signals.js';
import { allSlots, slotOf } from '../foundation/slots.js';
import { readBacklog } from './backlog.js';
import { logEvents, readEvents, republishedEvents } from './event-log.js';
import { readPlatformState } from './platform-state.js';

/** Slots 4, 5 and 6. Events that moved here with their tenants have numbers below 0. */
const [before, own, behind] = [4, 5, 6].map((slot) => {
  for (let number = 0; ; number++) if (slotOf(`tenant-${number}`) === slot) return `tenant-${number}`;
}) as [string, string, string];

const platform = await startIdlePlatform();
const database = openPool(platform.databaseUrl);
const superuser = openSession(platform.superuserUrl);
await superuser`insert into tenants (tenant_id, name) select id, id from unnest(${[before, own, behind]}::text[]) as id`;

const add = (tenantId: string, seq: number, minutesAgo: number) => superuser`
  insert into events (tenant_id, command_id, event_type, event_id, seq, logged_at) overriding system value
  values (
    ${tenantId}, gen_random_uuid(), 'command.accepted', gen_random_uuid(), ${seq},
    clock_timestamp() - make_interval(mins => ${minutesAgo})
  )`;

test('no reader of the log takes the events that moved here for those of the slot before', async () => {
  for (const seq of [10, 20]) await add(own, seq, 30 - seq);
  for (const tenantId of [before, own, behind]) {
    await add(tenantId, -5, 600);
    // Of a platform whose clock was an hour ahead.
    await add(tenantId, -4, -60);
  }

  expect(await superuser`select log_end_v1()::int as seq`).toMatchObject([{ seq: 20 }]);
  const page = await readEvents(
    database,
    allSlots.map((slot) => ({ slot, seq: '0' })),
    100,
  );
  expect(page?.positions).toEqual([{ slot: 5, seq: '20' }]);
  const backlog = await readBacklog(database);
  expect(backlog.events).toBe(2);
  expect(backlog.oldestEventSeconds).toBeGreaterThanOrEqual(20 * 60);
  expect(backlog.oldestEventSeconds).toBeLessThan(600 * 60);
  const { slots } = await readPlatformState(database, localSignals());
  expect(slots.filter(({ oldest_event_seconds }) => oldest_event_seconds !== null).map(({ slot }) => slot)).toEqual([
    5,
  ]);

  await superuser`update slots set published_seq = 20`;
  const republished: string[] = [];
  const since = new Date(Date.now() - 15 * 60_000).toISOString();
  for await (const { resumeFrom } of republishedEvents(database, { since, until: '' })) republished.push(resumeFrom);
  expect(republished).toHaveLength(1);
  expect(republished[0] && republished[0] > since).toBe(true);

  const command_id = newId();
  await asAllTenants(database, (tx) => logEvents(tx, [{ tenant_id: own, command_id, event_type: 'command.accepted' }]));
  const [logged] =
    await superuser`select logged_at <= clock_timestamp() as in_time from events where command_id = ${command_id}`;
  expect(logged?.in_time).toBe(true);
});
