import { expect, test } from 'vitest';
import { newCommand } from '../test/support/commands.js';
import { startIdlePlatform } from '../test/support/idle-platform.js';
import { registerEventReader } from '../test/support/new-principal.js';
import { openPool, openSession } from '../test/support/open-pool.js';
import { silent } from '../test/support/silent.js';
import { backgroundSteps } from './background.js';
import { readConfig } from './config.js';
import { newId } from './foundation/ids.js';
import { localSignals } from './foundation/signals/signals.js';
import type { Bus } from './pipeline/bus/bus.js';
import { inProcessBus } from './pipeline/bus/in-process-bus.js';
import { createSlotOwner, FURTHEST_END_SECONDS, renewSlots, SlotsLost } from './pipeline/slots/slot-owner.js';
import type { Owned, Step } from './pipeline/slots/steps.js';

const platform = await startIdlePlatform();
const superuser = openSession(platform.superuserUrl, { fetch_types: false });
const { tenant_id: tenantId } = platform.demo;
// Otherwise the server notes the last use of the credential at any time, between two digests too.
await superuser`update credentials set last_used_at = now() + interval '1 day'`;

/** They store nothing about facts: the position of events is stored by a renewal, statistics belong to Postgres. */
const STORE_NOTHING = ['publishing of events', 'statistics'];

/** The id of a row that was written so many days ago. */
const idOf = (days: number) =>
  superuser.unsafe(`(lpad(to_hex((extract(epoch from now() - interval '${days} days') * 1000)::bigint), 12, '0')
    || '7000' || '8000' || lpad(to_hex((random() * 1e9)::int), 12, '0'))::uuid`);

/** Work for each step. */
async function addWork(): Promise<void> {
  const [overdue, old] = [await newCommand(platform.demo), await newCommand(platform.demo)];
  await newCommand(platform.demo, { timeout_seconds: 300 });
  // The deadline may be before the start of the platform.
  await superuser`update slots set swept_until = now() - interval '1 hour'`;
  await superuser`update commands set deadline_at = now() - interval '3 seconds' where command_id = ${overdue}`;
  await superuser`
    update commands set command_id = ${idOf(400)}, status = 'SUCCEEDED', completed_at = now() - interval '400 days',
      deadline_at = now() - interval '400 days'
    where command_id = ${old}`;
  await superuser`
    insert into device_requests (
      tenant_id, device_request_id, vendor, device_id, request_type, payload, dedupe_id, status, received_at, expires_at
    ) values
      (${tenantId}, ${newId()}, 'vendor_a', 'd', 'ask', '{}', ${newId()}, 'PENDING', now(), now() - interval '1 second'),
      (${tenantId}, ${idOf(400)}, 'vendor_a', 'd', 'ask', '{}', ${newId()}, 'EXPIRED', now(), now() - interval '1 second')`;
  await superuser`
    insert into nonces (credential_number, nonce_hash, expires_at) values (1, ${Buffer.from(newId().slice(0, 16))}, now() - interval '1 day')`;
  await superuser`
    insert into audit_events (tenant_id, audit_event_id, client_id, operation, target, changes, outcome, request_id, occurred_at)
    values (${tenantId}, ${idOf(400)}, 'c', 'tenants.update', 't', '{}', 'DONE', 'r', now() - interval '400 days')`;
  await superuser`
    insert into object_grants (tenant_id, presign_id, resource_id, operation, key, client_id, request_id, expires_at)
    values (${tenantId}, ${idOf(400)}, ${newId()}, 'DOWNLOAD', 'k', 'c', 'r', now())`;
  await superuser`
    insert into idempotent_answers (tenant_id, answer_id, client_id, operation, idempotency_key)
    values (${tenantId}, ${idOf(3)}, 'c', 'tenants.create', ${newId()})`;
  await superuser`
    insert into parked_messages (parked_message_id, subject, reason, body, parked_at)
    values (${newId()}, 's', 'r', '', now() - interval '400 days')`;
  await superuser`
    insert into command_figures (tenant_id, hour, reason, is_other, vendor, status, minute, total, classes, numbers)
    values (${tenantId}, now() - interval '2 days', '', false, 'vendor_a', 'FAILED', 1, 1, '{1}', '{1}')`;
  const work = { step: 0, after: null, rows_in_pass: 1, transaction: '1', since: new Date(0).toISOString() };
  const deletion = { requested_at: '', rows_deleted: 0, finished_at: null, work };
  await superuser`
    insert into tenants (tenant_id, name, status, deletion)
    values (${`former-${newId()}`}, 'Former', 'DELETING', ${JSON.stringify(deletion)}::text::jsonb)`;
}

/** A digest of every row of every table but that of the slots. */
async function stored(): Promise<string> {
  const tables = await superuser<{ name: string }[]>`
    select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename <> 'slots' order by 1`;
  const digests = tables.map(
    ({ name }) =>
      `select '${name}' as name, md5(string_agg(rows::text, '' order by rows::text)) as rows from ${name} as rows`,
  );
  return JSON.stringify(await superuser.unsafe(digests.join(' union all ')));
}

/** A worker with all slots, and its steps. */
async function startWorker(bus: Bus = inProcessBus()) {
  const database = openPool(platform.databaseUrl);
  const reads = new Map([[`${tenantId}+vendor_a`, new Date()]]);
  const readBus = { ...bus, commandReads: async () => reads };
  const owner = createSlotOwner({ database, bus, compare: async () => true, onRenewed() {} });
  const config = readConfig({ MODE: 'development', COMMAND_RETENTION_DAYS: '100' });
  const options = { ...silent(), now: () => new Date().toISOString(), config, signals: localSignals() };
  const steps = backgroundSteps({ ...options, database, bus: readBus, owner });
  await superuser`update slots set owned_until = now() - interval '1 second'`;
  await owner.renew();
  expect(owner.owned()).toHaveLength(16);
  const ownedBy = ({ of }: Step): Owned => {
    const slots = owner.owned().filter(({ slot }) => of === 'SLOTS' || slot === 0);
    return {
      slots,
      transaction: (work, some) =>
        owner.transaction(some ? slots.filter(({ slot }) => some.includes(slot)) : slots, work),
    };
  };
  return {
    steps,
    owner,
    round: (step: Step) => step.round(ownedBy(step)),
    finish: (step: Step) => step.finish?.(ownedBy(step)),
  };
}

const names = (await startWorker()).steps.map(({ name }) => name);

const stepOf = (steps: readonly Step[], name: string) => steps.find((step) => step.name === name) as Step;

/** Takes all slots of the other worker, and keeps them. */
async function takeSlots(): Promise<void> {
  await superuser`update slots set owned_until = now() - interval '1 second'`;
  const successor = openPool(platform.databaseUrl);
  expect((await renewSlots(successor, { worker: 'successor', canPublish: true, known: [] })).owned).toHaveLength(16);
}

const lost = (error: unknown) => expect(error).toBeInstanceOf(SlotsLost);

test.each(names)('%s: a worker that was frozen and lost its slots writes nothing; the owner does', async (name) => {
  await addWork();
  const frozen = await startWorker();
  // Each round of a worker may be the first or a later one. The lost rows are those of a relay, too.
  await takeSlots();
  const before = await stored();
  const step = stepOf(frozen.steps, name);
  for (let round = 0; round < 3; round++) await frozen.round(step).catch(lost);
  await frozen.finish(step)?.catch(lost);
  // The successor goes on to renew them, however slow the machine is.
  await superuser`update slots set owned_until = now() + make_interval(secs => ${FURTHEST_END_SECONDS - 1})`;
  await frozen.owner.renew();
  await frozen.owner.release();
  expect(await stored()).toBe(before);
  expect(await superuser`select distinct owner from slots`).toEqual([{ owner: 'successor' }]);

  const owner = await startWorker();
  for (let round = 0; round < 3; round++) await owner.round(stepOf(owner.steps, name));
  if (STORE_NOTHING.includes(name)) expect(await stored()).toBe(before);
  else expect(await stored()).not.toBe(before);
});

test.each(['relay', 'publishing of events'])(
  '%s: a worker that loses its slots while the bus refuses a message writes nothing',
  async (name) => {
    await registerEventReader(platform.admin, tenantId);
    await addWork();
    // Logs its event.
    const relaying = await startWorker();
    await relaying.round(stepOf(relaying.steps, 'relay'));
    await addWork();
    let before = '';
    const frozen = await startWorker({
      ...inProcessBus(),
      async publish(messages) {
        await takeSlots();
        before ||= await stored();
        return messages.map((message) => ({ message, reason: 'too large' }));
      },
    });
    const step = stepOf(frozen.steps, name);
    await frozen.round(step).catch(lost);
    await frozen.finish(step)?.catch(lost);
    expect(before).not.toBe('');
    expect(await stored()).toBe(before);
  },
);
