import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import {
  type Answer,
  atEnd,
  type Profile,
  signedRequest,
  startNode,
  temporaryFolder,
} from '@tenant-open-platform/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { COMMANDS, completed } from '../../../test/support/commands.js';
import { startIdlePlatform } from '../../../test/support/idle-platform.js';
import { isAccepted, startLoad } from '../../../test/support/load.js';
import { openPool } from '../../../test/support/open-pool.js';
import { startRelay, sweeperOfEverySlot } from '../../../test/support/owned-slots.js';
import { silent } from '../../../test/support/silent.js';
import { storedCommands } from '../../../test/support/stored.js';
import { untilServed } from '../../../test/support/until-served.js';
import { localSignals } from '../../foundation/signals/signals.js';
import { inProcessBus } from '../bus/in-process-bus.js';
import { readEvents } from '../event-log.js';
import { renewSlots } from '../slots/slot-owner.js';
import { createDispatch } from './dispatch.js';

vi.setConfig({ testTimeout: 180_000 });

const soon = { timeout: 60_000, interval: 50 };

const platform = await startIdlePlatform();
const database = openPool(platform.databaseUrl);
const bus = inProcessBus();

atEnd(bus.close);

/** A relay whose bus acknowledges one batch after the other, each after this time. */
function startSlowRelay(acknowledgeAfterMs: number): void {
  const signals = localSignals();
  let before: Promise<unknown> = Promise.resolve();
  const ending = new AbortController();
  const isOfCommands = ([first]: readonly { subject: string }[]) => first?.subject.includes('.commands.');
  const relay = startRelay({
    ...silent(),
    database,
    signals,
    dispatch: createDispatch({ ...silent(), signals }),
    readEvents: (positions, limit) => readEvents(database, positions, limit),
    bus: {
      ...bus,
      async publish(messages) {
        if (isOfCommands(messages)) {
          before = before.then(() => delay(acknowledgeAfterMs, undefined, ending).catch(() => {}));
          await before;
        }
        return bus.publish(messages);
      },
    },
  });
  onTestFinished(() => {
    ending.abort();
    return relay.stop();
  });
}

/** Of a tenant of its own. */
async function newOperator(role = 'integration_operator', { admin, demo } = platform): Promise<Profile> {
  const tenantId = `tenant-${randomUUID().slice(0, 8)}`;
  const administer = async (target: string, body: object): Promise<Answer['body']> => {
    const answer = await untilServed(() => signedRequest(admin, 'POST', target, { body }));
    if (answer.status !== 201) throw new Error(answer.raw);
    return answer.body;
  };
  await administer('/api/v1/platform/tenants', { tenant_id: tenantId, name: tenantId });
  const base = `/api/v1/platform/tenants/${tenantId}`;
  const { secret, client_id } = await administer(`${base}/credentials`, { client_id: tenantId, name: tenantId });
  await administer(`${base}/role-bindings`, { client_id, role });
  return { ...demo, tenant_id: tenantId, client_id, secret };
}

const create = (operator: Profile, fields: object = {}, options: { node?: string; nonce?: string } = {}) =>
  signedRequest(operator, 'POST', COMMANDS, {
    ...options,
    body: {
      vendor: 'vendor_a',
      device_id: 'd-1',
      command_type: 'reboot',
      payload: {},
      idempotency_key: randomUUID(),
      ...fields,
    },
  });

async function refusals(node = platform.demo.base_url): Promise<number> {
  const text = await (await fetch(`${node}/metrics`)).text();
  return Number(/^top_commands_refused_for_overload_total (\d+)$/m.exec(text)?.[1]);
}

/** What the platform stores during a flood that began two seconds ago, until the test ends. */
async function flood(tenantId: string, count: number): Promise<void> {
  onTestFinished(() =>
    database.sql
      .begin(async (tx) => {
        await tx`set local role top_system`;
        await tx`delete from outbox where tenant_id = ${tenantId}`;
      })
      .then(() => {}),
  );
  await insertRows(tenantId, count);
}

const insertRows = (tenantId: string, count: number) =>
  database.sql.begin(async (tx) => {
    await tx`set local role top_system`;
    await tx`
      insert into outbox (tenant_id, kind, fact_id, created_at)
      select ${tenantId}, 'COMMAND_ACCEPTED', gen_random_uuid(), now() - interval '2 seconds'
      from generate_series(1, ${count}::int)`;
  });

test('a command that would wait too long is refused before anything is stored; a used idempotency key and another tenant are served', async () => {
  const [operator, other] = [await newOperator(), await newOperator()];
  const before = await refusals();
  const used = { idempotency_key: randomUUID() };
  const first = await create(operator, used);
  expect(first.status).toBe(202);
  await flood(operator.tenant_id, 20_000);
  startStandstill();

  await vi.waitFor(async () => expect((await create(operator, { timeout_seconds: 30 })).status).toBe(503), soon);
  const refused = { idempotency_key: randomUUID() };
  const answer = await create(operator, refused);
  expect([answer.status, answer.body.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect(await refusals()).toBeGreaterThanOrEqual(before + 2);
  const stored = await storedCommands(platform.databaseUrl, operator.tenant_id);
  expect(stored.map(({ idempotency_key }) => idempotency_key)).not.toContain(refused.idempotency_key);
  // Of a batch only the commands that would wait too long are refused.
  const one = { vendor: 'vendor_a', device_id: 'd-1', command_type: 'reboot', payload: {} };
  const batch = await signedRequest(operator, 'POST', '/api/v1/open/downlink/command-batches', {
    body: {
      commands: [
        { ...one, idempotency_key: randomUUID(), timeout_seconds: 30 },
        { ...one, ...used },
        { ...one, idempotency_key: randomUUID(), timeout_seconds: 30 },
      ],
    },
  });
  const { error } = batch.body.items[0];
  expect(error).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
  expect(error.retry_after_seconds).toBeGreaterThan(0);
  expect(batch.body.items[1]).toMatchObject({ command_id: first.body.command_id, idempotent_replayed: true });
  expect(batch.body.items[2].error.code).toBe('SERVICE_UNAVAILABLE');

  const again = await create(operator, used);
  expect([again.status, again.body.command_id, again.headers['idempotent-replayed']]).toEqual([
    202,
    first.body.command_id,
    'true',
  ]);
  expect((await create(other, { timeout_seconds: 30 })).status).toBe(202);
});

/** A leader that takes no rows. */
function startStandstill(): void {
  const ending = new AbortController();
  const leading = (async () => {
    while (!ending.signal.aborted) {
      await renewSlots(database, { worker: 'standstill', canPublish: true, known: [] });
      await delay(500, undefined, ending).catch(() => {});
    }
    await database.sql.begin(async (tx) => {
      await tx`set local role top_system`;
      await tx`update slots set owned_until = now() - interval '1 minute'`;
    });
  })();
  onTestFinished(() => {
    ending.abort();
    return leading;
  });
}

/** Keeps this many rows of the tenant in the outbox, of which 1,000 a second leave. */
async function startQueue(tenantId: string, rows: number): Promise<void> {
  await flood(tenantId, rows);
  const ending = new AbortController();
  const moving = (async () => {
    let movedAt = performance.now();
    while (!ending.signal.aborted) {
      await delay(100);
      const due = Math.round(performance.now() - movedAt);
      movedAt = performance.now();
      const { count } = await database.sql.begin(async (tx) => {
        await tx`set local role top_system`;
        return tx`
          delete from outbox where ctid = any (array(
            select ctid from outbox where tenant_id = ${tenantId} order by position limit ${due}
          ))`;
      });
      await insertRows(tenantId, count);
    }
  })();
  onTestFinished(() => {
    ending.abort();
    return moving;
  });
}

test('a wait of up to a second refuses no command; a longer one refuses short timeouts, and no long one', async () => {
  const [busy, flooded] = [await newOperator(), await newOperator()];
  startStandstill();
  await startQueue(flooded.tenant_id, 4_000);
  await startQueue(busy.tenant_id, 100);
  const refusedIn4Seconds = async () => (await create(flooded, { timeout_seconds: 4 })).status;
  await expect.poll(refusedIn4Seconds, soon).toBe(503);
  expect((await create(flooded, { timeout_seconds: 60 })).status).toBe(202);
  expect((await create(busy, { timeout_seconds: 1 })).status).toBe(202);
});

test('a tenant with 100,000 waiting rows is refused from the first request after a start on', async () => {
  const operator = await newOperator();
  await flood(operator.tenant_id, 100_000);
  const node = await platform.startBeside({ ROLE: 'api' });
  expect((await create(operator, { timeout_seconds: 30 }, { node: node.baseUrl })).status).toBe(503);
});

test('a request that must not come in is refused for that, also under overload, and is not counted as overload', async () => {
  const [operator, reader] = [await newOperator(), await newOperator('integration_reader')];
  await flood(operator.tenant_id, 60_000);
  await flood(reader.tenant_id, 60_000);
  startStandstill();
  const node = await platform.startBeside({ ROLE: 'api' });
  const codes: string[] = [];
  const codeOf = async (caller: Profile, nonce: string = randomUUID()): Promise<string> => {
    const { body } = await create(caller, {}, { node: node.baseUrl, nonce });
    codes.push(body.code);
    return body.code;
  };
  await expect.poll(() => codeOf(operator), soon).toBe('SERVICE_UNAVAILABLE');
  const nonce = randomUUID();
  expect(await codeOf(operator, nonce)).toBe('SERVICE_UNAVAILABLE');
  expect(await codeOf(operator, nonce)).toBe('NONCE_REUSED');
  expect(await codeOf(reader)).toBe('FORBIDDEN');
  const credential = `/api/v1/platform/tenants/${operator.tenant_id}/credentials/${operator.client_id}`;
  const disabled = await signedRequest(platform.admin, 'PUT', credential, { body: { status: 'DISABLED' } });
  expect(disabled.status).toBe(200);
  expect(await codeOf(operator)).toBe('UNAUTHENTICATED');
  const refused = codes.filter((code) => code === 'SERVICE_UNAVAILABLE').length;
  await expect.poll(() => refusals(node.baseUrl), soon).toBe(refused);
});

test('a refusal for overload is logged as a refusal, not as an error', async () => {
  const operator = await newOperator();
  await flood(operator.tenant_id, 60_000);
  startStandstill();
  const node = await platform.startBeside({ ROLE: 'api', LOG_LEVEL: 'info' });
  const refused = async () => (await create(operator, { timeout_seconds: 30 }, { node: node.baseUrl })).status;
  await expect.poll(refused, soon).toBe(503);
  await node.stop();
  const lines = node
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  expect(lines.map(({ code }) => code)).toContain('SERVICE_UNAVAILABLE');
  expect(lines.filter(({ level }) => level >= 50)).toEqual([]);
});

test('above the capacity of the relay, excess commands are refused at once and no accepted command expires', async () => {
  const operator = await newOperator();
  // 256 commands every 5 seconds. The writers request up to 400 a second, and more than 51 on a slow machine.
  startSlowRelay(5_000);
  const sweeping = new AbortController();
  const sweep = sweeperOfEverySlot({
    ...silent(),
    database,
    signals: localSignals(),
    bus,
    intervalMs: 200,
  });
  const sweeps = (async () => {
    while (!sweeping.signal.aborted) {
      await sweep();
      await delay(200);
    }
  })();
  const load = startLoad(operator, () => platform.demo.base_url, {
    writers: 24,
    readers: 0,
    restMs: 60,
    // Before the first refusals, a fast machine accepts commands that then wait up to 38 seconds.
    command: () => ({ timeout_seconds: 60 }),
  });
  await load.seen(50, ({ kind, answer }) => kind === 'write' && answer?.status === 503);
  await load.seen(100, isAccepted);
  const sent = await load.stop();
  const writes = sent.filter(({ kind }) => kind === 'write');
  expect(new Set(writes.map(({ answer }) => answer?.status))).toEqual(new Set([202, 503]));
  const isDone = async () =>
    (await storedCommands(platform.databaseUrl, operator.tenant_id)).every(({ status }) => status !== 'ACCEPTED');
  await vi.waitFor(async () => expect(await isDone()).toBe(true), { timeout: 90_000, interval: 250 });
  sweeping.abort();
  await sweeps;
  const stored = await storedCommands(platform.databaseUrl, operator.tenant_id);
  expect(stored.filter(({ status }) => status === 'EXPIRED').length).toBe(0);
  expect(stored.length).toBe(writes.filter(isAccepted).length);
});

test('on the embedded database, too, a tenant with 50,000 waiting rows is refused from the first request on, and another tenant is served', async () => {
  const folder = temporaryFolder();
  const first = await startNode({ DATA_DIR: folder });
  const operator = await newOperator('integration_operator', { ...platform, admin: first.admin, demo: first.demo });
  await first.stop();
  const embedded = await PGlite.create(join(folder, 'postgres'));
  await embedded.query(
    `insert into outbox (tenant_id, kind, fact_id, created_at)
      select $1, 'COMMAND_ACCEPTED', gen_random_uuid(), now() - interval '2 seconds' from generate_series(1, 50000)`,
    [operator.tenant_id],
  );
  await embedded.close();

  const { baseUrl, demo } = await startNode({ DATA_DIR: folder });
  expect((await create(operator, { timeout_seconds: 30 }, { node: baseUrl })).status).toBe(503);
  const { status, body } = await create(demo, { device_id: 'ok-1', timeout_seconds: 300 });
  expect(status).toBe(202);
  expect(await completed(demo, body.command_id)).toMatchObject({ status: 'SUCCEEDED' });
});
