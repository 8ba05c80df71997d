import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type IdlePlatform, startIdlePlatform } from '../../../test/idle-platform.js';
import { openPool } from '../../../test/open-pool.js';
import { silent } from '../../../test/silent.js';
import type { Bus } from '../bus/bus.js';
import { inProcessBus } from '../bus/in-process-bus.js';
import type { Database } from '../database/database.js';
import { asSystem } from '../database/roles.js';
import { newId } from '../new-id.js';
import { localSignals, topics } from '../signals/signals.js';
import type { MessagesByRow } from './publish-rows.js';
import { startRelay } from './relay.js';

const soon = { timeout: 20_000, interval: 10 };

let platform: IdlePlatform;
let database: Database;
/** What both nodes publish to, and what it kept, in its order. */
let bus: Bus;
let kept: string[];
let nodes: Node[];

beforeAll(async () => {
  platform = await startIdlePlatform();
  database = openPool(platform.databaseUrl);
});

beforeEach(async () => {
  await asSystem(database, (sql) => sql`delete from outbox`);
  await expireLease();
  bus = inProcessBus();
  kept = [];
  nodes = [];
  await bus.consume({
    stream: 'TOP_EVENTS',
    durable: 'test',
    handle: async ({ body }) => {
      kept.push(body.toString());
      return 'DONE';
    },
  });
});

afterEach(async () => {
  for (const node of nodes) await node.close();
  await bus.close();
});

afterAll(async () => {
  await database?.close();
  await platform?.stop();
});

/** One message a row, under its id. */
const messages: MessagesByRow = async (rows) =>
  rows.map(({ fact_id }) => [{ subject: 'tenants.demo.events.test', id: fact_id, body: Buffer.from(fact_id) }]);

type Node = {
  /** The ids of what it has published, batch for batch. */
  attempts: string[][];
  holdUp: () => void;
  letGo: () => void;
  wake: () => void;
  /** Resolves once it has looked for work and found none, from now on. */
  lookInVain: () => Promise<void>;
  stop: () => Promise<void>;
  close: () => Promise<void>;
};

/** A relay on connections of its own. While it is held up, the bus has not answered what it publishes. */
function startNode({ isHeldUp = false } = {}): Node {
  const pool = openPool(platform.databaseUrl);
  const signals = localSignals();
  const attempts: string[][] = [];
  let looks = 0;
  let letGo = () => {};
  let gate = Promise.resolve();
  const holdUp = () => {
    gate = new Promise((resolve) => {
      letGo = resolve;
    });
  };
  if (isHeldUp) holdUp();
  const relay = startRelay({
    ...silent(),
    database: pool,
    signals,
    messagesByRow: [messages],
    bus: {
      ...bus,
      unreadyReason() {
        looks++;
        return null;
      },
      async publish(messages) {
        attempts.push(messages.map(({ id }) => id));
        await gate;
        return bus.publish(messages);
      },
    },
  });
  const node: Node = {
    attempts,
    holdUp,
    letGo: () => letGo(),
    wake: () => signals.send([topics.outbox]),
    async lookInVain() {
      const before = looks;
      // The third begins when the second, which began behind this call, is over.
      await vi.waitFor(() => {
        node.wake();
        expect(looks).toBeGreaterThan(before + 2);
      }, soon);
    },
    stop: () => relay.stop(),
    async close() {
      letGo();
      await relay.stop();
      await pool.close();
    },
  };
  nodes.push(node);
  return node;
}

/** In one transaction, so that no look finds only some. */
async function newRows(count = 3): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId()).sort();
  const given = JSON.stringify(ids);
  await asSystem(
    database,
    (sql) => sql`
      insert into outbox (tenant_id, fact_id, kind)
      select 'demo', id::uuid, 'COMMAND_COMPLETED' from json_array_elements_text(${given}::text::json) as id`,
  );
  return ids;
}

type Row = { fact_id: string; published_at: string | null };

const rows = () =>
  asSystem<Row>(database, (sql) => sql<Row[]>`select fact_id, published_at::text from outbox order by tx, fact_id`);

async function unpublished(): Promise<string[]> {
  return (await rows()).filter(({ published_at }) => published_at === null).map(({ fact_id }) => fact_id);
}

const allPublished = () => vi.waitFor(async () => expect(await unpublished()).toEqual([]), soon);

const published = (node: Node, batches: string[][]) => vi.waitFor(() => expect(node.attempts).toEqual(batches), soon);

async function epoch(): Promise<number> {
  const [lease] = await asSystem<{ epoch: number }>(
    database,
    (sql) => sql<{ epoch: number }[]>`select epoch::int from relay_lease`,
  );
  if (!lease) throw new Error('No relay has taken the lease.');
  return lease.epoch;
}

const setLease = (seconds: number) =>
  asSystem(database, (sql) => sql`update relay_lease set expires_at = now() + make_interval(secs => ${seconds})`);
const expireLease = () => setLease(-1);
/** However slow the machine is: who is held up does not renew it. */
const prolongLease = () => setLease(600);

test('a leader that lost its lease while it published marks nothing and reads nothing more; each message is kept once, in order', async () => {
  const ids = await newRows();
  const first = startNode({ isHeldUp: true });
  await published(first, [ids]);
  const before = await epoch();

  await expireLease();
  const second = startNode();
  await published(second, [ids]);
  await allPublished();
  const marked = await rows();
  expect(await epoch()).toBe(before + 1);

  second.holdUp();
  const later = await newRows();
  second.wake();
  await published(second, [ids, later]);
  await prolongLease();
  first.letGo();
  await first.lookInVain();
  expect(first.attempts).toEqual([ids]);
  expect((await rows()).slice(0, ids.length)).toEqual(marked);
  expect(await unpublished()).toEqual(later);

  second.letGo();
  await allPublished();
  await first.lookInVain();
  const last = await newRows();
  first.wake();
  second.wake();
  await allPublished();
  expect(second.attempts.flat()).toEqual([...ids, ...later, ...last]);
  expect(first.attempts).toEqual([ids]);
  expect(await epoch()).toBe(before + 1);
  await vi.waitFor(() => expect(kept).toEqual([...ids, ...later, ...last]), soon);
});

test('a leader that gets its lease back publishes again what nobody marked meanwhile', async () => {
  const ids = [...(await newRows()), ...(await newRows())];
  const first = startNode({ isHeldUp: true });
  await published(first, [ids]);
  const before = await epoch();
  await expireLease();
  const second = startNode({ isHeldUp: true });
  await published(second, [ids]);
  await prolongLease();
  first.letGo();
  await first.lookInVain();
  expect(await unpublished()).toEqual(ids);

  await expireLease();
  await published(first, [ids, ids]);
  await allPublished();
  const marked = await rows();
  second.letGo();
  await second.lookInVain();
  expect(await rows()).toEqual(marked);
  expect(second.attempts).toEqual([ids]);
  expect(await epoch()).toBe(before + 2);
  await vi.waitFor(() => expect(kept).toEqual(ids), soon);
});

test('a leader that stops gives its lease back, and the one that follows goes on at once', async () => {
  const first = startNode();
  const ids = await newRows();
  first.wake();
  await published(first, [ids]);
  await allPublished();
  const second = startNode();
  await second.lookInVain();
  await first.stop();

  const later = await newRows();
  // It asks for the lease every half second; left to expire, that would take 4 to 5.
  await vi.waitFor(() => expect(second.attempts.flat()).toEqual(later), { timeout: 3_000, interval: 10 });
  await vi.waitFor(() => expect(kept).toEqual([...ids, ...later]), soon);
});

test('what a transaction under way has written holds back what came behind it, and nothing before it', async () => {
  const node = startNode();
  const before = await newRows();
  // Its id sorts behind all others: it is the transaction that counts.
  const open = newId(Date.now() + 3_600_000);
  let behind: string[] = [];
  await database.sql.begin(async (tx) => {
    await tx`set local role top_system`;
    await tx`insert into outbox (tenant_id, fact_id, kind) values ('demo', ${open}, 'COMMAND_COMPLETED')`;
    behind = await newRows();
    node.wake();
    await published(node, [before]);
    await node.lookInVain();
    expect(node.attempts).toEqual([before]);
    expect(await unpublished()).toEqual(behind);
  });
  await allPublished();
  expect(node.attempts.flat()).toEqual([...before, open, ...behind]);
  await vi.waitFor(() => expect(kept).toEqual([...before, open, ...behind]), soon);
});
