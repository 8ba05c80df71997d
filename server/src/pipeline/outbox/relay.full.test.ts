import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startIdlePlatform } from '../../../test/support/idle-platform.js';
import { openPool } from '../../../test/support/open-pool.js';
import { silent } from '../../../test/support/silent.js';
import { asAllTenantsStatement } from '../../foundation/database/row-level-security.js';
import { newId } from '../../foundation/ids.js';
import { localSignals, topics } from '../../foundation/signals/signals.js';
import type { Bus } from '../bus/bus.js';
import { inProcessBus } from '../bus/in-process-bus.js';
import type { Dispatch } from './dispatch.js';
import { type RelayOptions, startRelay } from './relay.js';
import { BATCH, OVERLAP } from './take-rows.js';

/** The number of pauses that have begun, by length. The relay pauses for 20 ms, the publishing of events for 50 ms. */
const pauses = vi.hoisted(() => new Map<number, number>());
vi.mock('node:timers/promises', async (importOriginal) => {
  const timers = await importOriginal<typeof import('node:timers/promises')>();
  const setTimeout: typeof timers.setTimeout = (milliseconds = 0, ...rest) => {
    pauses.set(milliseconds, (pauses.get(milliseconds) ?? 0) + 1);
    return timers.setTimeout(milliseconds, ...rest);
  };
  return { ...timers, setTimeout };
});
const pausesOf = (milliseconds: number) => pauses.get(milliseconds) ?? 0;

const soon = { timeout: 20_000, interval: 10 };
/** The flood of a test, and half of its batches: a row that does not wait for the flood leaves earlier. */
const FLOOD = 100_000;
const HALF_OF_FLOOD = FLOOD / BATCH / 2;

/** The bus of all nodes, which records the messages in order. */
let bus: Bus;
let kept: string[];
let nodes: Node[];

const platform = await startIdlePlatform();
const database = openPool(platform.databaseUrl);

beforeEach(async () => {
  await asAllTenantsStatement(database, sql`delete from outbox`);
  await asAllTenantsStatement(database, sql`update relay_lease set published_seq = 0`);
  await expireLease();
  bus = inProcessBus();
  kept = [];
  nodes = [];
  for (const stream of ['TOP_COMMANDS', 'TOP_EVENTS'] as const) {
    await bus.consume({
      stream,
      durable: 'test',
      handle: async ({ body }) => {
        kept.push(body.toString());
        return 'DONE';
      },
    });
  }
});

afterEach(async () => {
  clearInterval(prolonging);
  for (const node of nodes) await node.close();
  await bus.close();
});

type Node = {
  /** The ids that this node published, by batch. */
  attempts: string[][];
  /** The ids that this node logged while its bus was away. */
  logged: string[];
  holdUp: () => void;
  letGo: () => void;
  /** Why the bus does not answer this node, or null. */
  setUnready: (reason: string | null) => void;
  /** How many of the next batches fail. */
  failNext: (count: number) => void;
  wake: () => void;
  /** Resolves once the relay has looked for work after this call and found none. */
  lookInVain: () => Promise<void>;
  stop: () => Promise<void>;
  close: () => Promise<void>;
};

const eventOf = (id: string) => ({ subject: 'tenants.demo.events.test', id, body: Buffer.from(id) });
type ReadEvents = RelayOptions['readEvents'];
const noEvents: ReadEvents = async () => null;

/** A relay with its own connections. While it is held up, the bus does not answer its messages. */
function startNode({
  isHeldUp = false,
  unready = null as string | null,
  readEvents = noEvents,
  untakenUpdates = new Map<string, number>(),
  onPrepare = (_node: Node) => {},
} = {}): Node {
  const pool = openPool(platform.databaseUrl);
  const signals = localSignals();
  const attempts: string[][] = [];
  const logged: string[] = [];
  let looks = 0;
  let failing = 0;
  let unreadyReason = unready;
  let letGo = () => {};
  let gate = Promise.resolve();
  const holdUp = () => {
    gate = new Promise((resolve) => {
      letGo = resolve;
    });
  };
  if (isHeldUp) holdUp();
  const dispatch: Dispatch = {
    async prepare(_tx, rows) {
      onPrepare(node);
      const messages = rows.map(({ fact_id }) => ({
        subject: 'tenants.demo.commands.test',
        id: fact_id,
        body: Buffer.from(fact_id),
      }));
      return { messages, topics: [] };
    },
    async prepareWithoutBus(_tx, rows) {
      logged.push(...rows.map(({ fact_id }) => fact_id));
      return [];
    },
    async endUndeliverable() {},
  };
  const relay = startRelay({
    ...silent(),
    database: pool,
    signals,
    dispatch,
    readEvents,
    compareWithBus: async () => {},
    bus: {
      ...bus,
      untakenUpdates: async () => untakenUpdates,
      unreadyReason() {
        looks++;
        return unreadyReason;
      },
      async publish(messages) {
        attempts.push(messages.map(({ id }) => id));
        await gate;
        if (failing-- > 0) throw new Error('JetStream does not answer');
        return bus.publish(messages);
      },
    },
  });
  const node: Node = {
    attempts,
    logged,
    holdUp,
    letGo: () => letGo(),
    setUnready(reason) {
      unreadyReason = reason;
    },
    failNext(count) {
      failing = count;
    },
    wake: () => signals.send([topics.outbox, topics.eventLog]),
    async lookInVain() {
      const before = looks;
      // At most two looks were in progress before this call.
      await vi.waitFor(() => {
        node.wake();
        expect(looks).toBeGreaterThan(before + 8);
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

/** In one transaction, so that every look sees all or none. */
async function newRows(count = 3, tenantId = 'demo'): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  const given = JSON.stringify(ids);
  await asAllTenantsStatement(
    database,
    sql`
    insert into outbox (tenant_id, fact_id, kind)
    select ${tenantId}, id::uuid, 'DEVICE_REQUEST_REPLIED'
    from json_array_elements_text(${given}::text::json) with ordinality as given (id, place) order by place`,
  );
  return ids;
}

/** The remaining rows, in the order in which they will leave. */
async function standing(): Promise<string[]> {
  const rows = await asAllTenantsStatement<{ fact_id: string }>(
    database,
    sql`
    select fact_id from outbox order by tenant_id, is_logged desc, position`,
  );
  return rows.map(({ fact_id }) => fact_id);
}

const allPublished = () => vi.waitFor(async () => expect(await standing()).toEqual([]), soon);

const published = (node: Node, batches: string[][]) => vi.waitFor(() => expect(node.attempts).toEqual(batches), soon);

async function epoch(): Promise<number> {
  const [lease] = await asAllTenantsStatement<{ epoch: number }>(database, sql`select epoch::int from relay_lease`);
  if (!lease) throw new Error('No relay has taken the lease.');
  return lease.epoch;
}

const setLease = (seconds: number) =>
  asAllTenantsStatement(database, sql`update relay_lease set expires_at = now() + make_interval(secs => ${seconds})`);
let prolonging: NodeJS.Timeout | undefined;
async function expireLease(): Promise<void> {
  clearInterval(prolonging);
  await setLease(-1);
}
/** However slow the machine is: a node that is held up does not renew the lease. */
async function prolongLease(): Promise<void> {
  await setLease(4);
  prolonging = setInterval(() => void setLease(4).catch(() => {}), 1_000);
}

test('a lease that ends further ahead than it lasts has expired: the clock of the database was ahead', async () => {
  const first = startNode({ isHeldUp: true });
  await first.lookInVain();
  await first.stop();
  await setLease(3_600);
  const before = await epoch();
  const ids = await newRows();
  await published(startNode(), [ids]);
  expect(await epoch()).toBe(before + 1);
});

test('a leader that lost its lease while publishing deletes and takes no rows; each message is kept once, in order', async () => {
  const ids = await newRows();
  const first = startNode({ isHeldUp: true });
  await published(first, [ids]);
  const before = await epoch();

  await expireLease();
  const second = startNode();
  await published(second, [ids]);
  await allPublished();
  expect(await epoch()).toBe(before + 1);

  second.holdUp();
  const later = await newRows();
  second.wake();
  await published(second, [ids, later]);
  await prolongLease();
  first.letGo();
  await first.lookInVain();
  expect(first.attempts).toEqual([ids]);
  expect(await standing()).toEqual(later);

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

test('a leader that gets its lease back publishes the remaining rows again, and the other node deletes none of them', async () => {
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
  expect(await standing()).toEqual(ids);

  await expireLease();
  await published(first, [ids, ids]);
  await allPublished();
  second.letGo();
  await second.lookInVain();
  expect(second.attempts).toEqual([ids]);
  expect(await epoch()).toBe(before + 2);
  await vi.waitFor(() => expect(kept).toEqual(ids), soon);
});

test('a leader that stops releases its lease, and the next one continues at once', async () => {
  const first = startNode();
  const ids = await newRows();
  first.wake();
  await published(first, [ids]);
  await allPublished();
  const second = startNode();
  await second.lookInVain();
  const before = await epoch();
  await first.stop();
  const [lease] = await asAllTenantsStatement<{ is_free: boolean }>(
    database,
    sql`
    select expires_at < now() or epoch > ${before} as is_free from relay_lease`,
  );
  expect(lease).toEqual({ is_free: true });

  const later = await newRows();
  await vi.waitFor(() => expect(second.attempts.flat()).toEqual(later), soon);
  await vi.waitFor(() => expect(kept).toEqual([...ids, ...later]), soon);
});

test('rows whose messages the bus acknowledges while the leader stops are deleted: no other node publishes them again', async () => {
  const ids = await newRows();
  const node = startNode({ isHeldUp: true });
  await published(node, [ids]);
  const stopped = node.stop();
  node.letGo();
  await stopped;
  expect(await standing()).toEqual([]);
});

test('the next batch is taken before the bus has acknowledged the previous one', async () => {
  const ids = await newRows(2 * BATCH);
  const node = startNode({ isHeldUp: true });
  await published(node, [ids.slice(0, BATCH), ids.slice(BATCH)]);
  expect(await standing()).toEqual(ids);
  node.letGo();
  await allPublished();
  expect(kept).toEqual(ids);
});

test('rows and events that come one after the other share batches', async () => {
  const ids: string[] = [];
  const readEvents: ReadEvents = async (after) => {
    if (ids.length === Number(after)) return null;
    const messages = ids.slice(Number(after)).map((id) => eventOf(`event ${id}`));
    return { last: String(ids.length), loggedAtMs: 0, isFull: false, messages };
  };
  const node = startNode({ readEvents });
  await node.lookInVain();
  const before = { ofRows: pausesOf(20), ofEvents: pausesOf(50) };
  while (ids.length < 200) {
    ids.push(...(await newRows(1)));
    node.wake();
  }
  await vi.waitFor(() => expect(node.attempts.flat()).toHaveLength(2 * ids.length), soon);
  const events = node.attempts.filter(([id]) => id?.startsWith('event'));
  const rows = node.attempts.filter((batch) => !events.includes(batch));
  expect([rows.flat(), events.flat()]).toEqual([ids, ids.map((id) => `event ${id}`)]);
  expect(rows.length).toBeLessThan(2 + pausesOf(20) - before.ofRows);
  expect(events.length).toBeLessThan(2 + pausesOf(50) - before.ofEvents);
});

test('while three tenants have more rows than a batch, it makes no pause', async () => {
  const flood = async (tenantId: string) => newRows(10 * BATCH, tenantId);
  await Promise.all(['one', 'two', 'three'].map(flood));
  const node = startNode();
  const before = pausesOf(20);
  await allPublished();
  expect(node.attempts.length).toBeGreaterThanOrEqual(30);
  expect(pausesOf(20) - before).toBeLessThan(10);
});

test('rows that the bus acknowledges while the next batch is prepared are published once', async () => {
  const ids = await newRows(3 * BATCH);
  const node = startNode({
    isHeldUp: true,
    onPrepare(preparing) {
      if (preparing.attempts.length > 0) preparing.letGo();
    },
  });
  await allPublished();
  await node.lookInVain();
  expect(node.attempts.flat()).toEqual(ids);
});

test("while a tenant has many unhandled updates on the bus, its rows wait, and those of other tenants don't", async () => {
  const untakenUpdates = new Map([
    ['busy', 2_001],
    ['quick', 2_000],
  ]);
  const held = await newRows(BATCH, 'busy');
  const node = startNode({ untakenUpdates });
  await node.lookInVain();
  const ids = await newRows(3 * BATCH, 'quick');
  await vi.waitFor(() => expect(kept).toEqual(expect.arrayContaining(ids)), soon);
  const late = await newRows(2, 'busy');
  await node.lookInVain();
  expect(kept.filter((id) => late.includes(id))).toEqual([]);
  untakenUpdates.delete('busy');
  await allPublished();
  expect(new Set(kept)).toEqual(new Set([...held, ...ids, ...late]));
});

test('the relay makes no pause before it reaches a tenant behind 5,120 held tenants', async () => {
  const HELD = 20 * BATCH;
  await asAllTenantsStatement(
    database,
    sql`
    insert into outbox (tenant_id, fact_id, kind)
    select 'held-' || number, gen_random_uuid(), 'DEVICE_REQUEST_REPLIED' from generate_series(1, ${HELD}::int) as number`,
  );
  const untakenUpdates = new Map(Array.from({ length: HELD }, (_, index) => [`held-${index + 1}`, 100]));
  const node = startNode({ untakenUpdates });
  await node.lookInVain();
  for (let row = 0; row < 3; row++) {
    const [id = ''] = await newRows(1, 'other');
    const before = pausesOf(20);
    node.wake();
    await vi.waitFor(() => expect(node.attempts.flat()).toContain(id), soon);
    // One may follow the sweep that was under way, and one the sweep that found the row.
    expect(pausesOf(20) - before).toBeLessThan(4);
  }
});

test('an open transaction with writes blocks nothing, and its own row is published when it commits', async () => {
  const node = startNode();
  const late = newId();
  let others: string[] = [];
  await database.sql.begin(async (tx) => {
    await tx`set local role top_system`;
    await tx`insert into outbox (tenant_id, fact_id, kind) values ('demo', ${late}, 'DEVICE_REQUEST_REPLIED')`;
    others = [...(await newRows()), ...(await newRows())];
    node.wake();
    await allPublished();
    await vi.waitFor(() => expect(kept).toEqual(others), soon);
  });
  node.wake();
  await allPublished();
  await vi.waitFor(() => expect(kept).toEqual([...others, late]), soon);
});

test('a row that is committed behind many others is published soon, while rows wait all the time', async () => {
  const node = startNode();
  const late = newId();
  await database.sql.begin(async (tx) => {
    await tx`set local role top_system`;
    await tx`insert into outbox (tenant_id, fact_id, kind) values ('demo', ${late}, 'DEVICE_REQUEST_REPLIED')`;
    await newRows(FLOOD);
    node.wake();
    await vi.waitFor(() => expect(node.attempts.length).toBeGreaterThan((2 * OVERLAP) / BATCH), soon);
    node.holdUp();
  });
  const before = node.attempts.length;
  node.letGo();
  await vi.waitFor(() => expect(node.attempts.flat()).toContain(late), soon);
  expect(node.attempts.findIndex((batch) => batch.includes(late)) - before).toBeLessThan(HALF_OF_FLOOD);
});

test("100,000 waiting rows of one tenant do not delay another tenant's row, and leave in order", async () => {
  const flood = await newRows(FLOOD, 'flood');
  const node = startNode({ isHeldUp: true });
  await vi.waitFor(() => expect(node.attempts.flat()).toHaveLength(3 * BATCH), soon);
  const [one] = await newRows(1, 'other');
  node.letGo();
  await vi.waitFor(() => expect(node.attempts.flat()).toContain(one), soon);
  expect(node.attempts.findIndex((batch) => batch.includes(one as string))).toBeLessThan(HALF_OF_FLOOD);
  await vi.waitFor(() => expect(node.attempts.flat().length).toBeGreaterThan(10 * BATCH), soon);
  const ofFlood = node.attempts.flat().filter((id) => id !== one);
  expect(ofFlood).toEqual(flood.slice(0, ofFlood.length));
});

test('while the bus is away facts are logged, and leave in the order of the log when it is back', async () => {
  const node = startNode({ unready: 'the bus does not answer' });
  const before = [...(await newRows()), ...(await newRows(2 * BATCH))];
  node.wake();
  await vi.waitFor(() => expect(node.logged).toEqual(before), soon);
  expect([node.attempts, await standing()]).toEqual([[], before]);
  node.holdUp();
  node.setUnready(null);
  node.wake();
  // Now the relay knows that the bus is back.
  await vi.waitFor(() => expect(node.attempts).not.toEqual([]), soon);
  const after = await newRows();
  node.wake();
  node.letGo();
  await allPublished();
  expect(kept).toEqual([...before, ...after]);
  expect(node.logged).toEqual(before);
});

test('a node whose bus answers takes the lease from a node whose bus does not', async () => {
  const first = startNode({ unready: 'the bus does not answer' });
  const ids = await newRows();
  first.wake();
  await vi.waitFor(() => expect(first.logged).toEqual(ids), soon);
  await prolongLease();
  const second = startNode();
  await allPublished();
  expect([first.attempts, second.attempts.flat()]).toEqual([[], ids]);
});

test('a leader that fails twice in a row to publish gives the lease to a node that can', async () => {
  const first = startNode();
  first.failNext(1_000);
  const ids = await newRows();
  first.wake();
  await vi.waitFor(() => expect(first.attempts.length).toBeGreaterThan(0), soon);
  const second = startNode();
  await allPublished();
  expect([first.attempts.slice(0, 2), second.attempts.flat()]).toEqual([[ids, ids], ids]);
});

test('successive leaders publish every event in the order of the log', async () => {
  const log = Array.from({ length: 1_000 }, newId);
  const readEvents: ReadEvents = async (after, limit) => {
    const messages = log.slice(Number(after), Number(after) + limit).map(eventOf);
    if (messages.length === 0) return null;
    const last = String(Number(after) + messages.length);
    return { last, loggedAtMs: 0, isFull: messages.length === limit, messages };
  };
  const first = startNode({ readEvents, isHeldUp: true });
  await vi.waitFor(() => expect(first.attempts).toHaveLength(1), soon);
  // A node that can publish takes the lease from it.
  first.setUnready('the bus does not answer');
  first.wake();
  const second = startNode({ readEvents });
  await vi.waitFor(() => expect(second.attempts.flat()).toHaveLength(log.length), soon);
  await prolongLease();
  // Now it knows that it has lost the lease.
  await first.lookInVain();
  first.setUnready(null);
  first.letGo();
  await first.lookInVain();
  expect(first.attempts).toHaveLength(1);
  await vi.waitFor(async () => {
    const [lease] = await asAllTenantsStatement<{ seq: string }>(
      database,
      sql`
      select published_seq::text as seq from relay_lease`,
    );
    expect(lease?.seq).toBe('1000');
  }, soon);
  expect(kept).toEqual(log);
});
