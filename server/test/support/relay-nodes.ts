import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import type { Transaction } from '../../src/foundation/database/database.js';
import { asAllTenantsStatement } from '../../src/foundation/database/row-level-security.js';
import { newId } from '../../src/foundation/ids.js';
import { localSignals, topics } from '../../src/foundation/signals/signals.js';
import { allSlots, slotOf } from '../../src/foundation/slots.js';
import type { Bus } from '../../src/pipeline/bus/bus.js';
import { inProcessBus } from '../../src/pipeline/bus/in-process-bus.js';
import type { Dispatch } from '../../src/pipeline/outbox/dispatch.js';
import { FURTHEST_END_SECONDS } from '../../src/pipeline/slots/slot-owner.js';
import { startIdlePlatform } from './idle-platform.js';
import { openPool } from './open-pool.js';
import { startRelay } from './owned-slots.js';
import { silent } from './silent.js';

export const soon = { timeout: 60_000, interval: 10 };

export type RelayNode = {
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
  /** The node notices that its database is a copy of an earlier state. */
  noticeRestore: () => Promise<void>;
  renew: () => Promise<unknown>;
  stop: () => Promise<void>;
  close: () => Promise<void>;
};

/** Just below the furthest end that counts. */
const HELD_SECONDS = FURTHEST_END_SECONDS - 1;

/** In the first half of the slots: with a second node it stays with the first. */
const TENANT = 'acme';
const SLOT = slotOf(TENANT);

const eventOf = (id: string) => ({ subject: `tenants.${TENANT}.events.test`, id, body: Buffer.from(id) });

/** Reads the events of a log that belong to the tenant, after a number. */
export const eventsOf =
  (log: readonly string[]): Parameters<typeof startRelay>[0]['readEvents'] =>
  async (positions, limit) => {
    const after = Number(positions.find(({ slot }) => slot === SLOT)?.seq ?? log.length);
    const messages = log.slice(after, after + limit).map(eventOf);
    if (messages.length === 0) return null;
    const seq = String(after + messages.length);
    return { positions: [{ slot: SLOT, seq }], loggedAtMs: 0, isFull: messages.length === limit, messages };
  };

/** The batches that a node published. What fails is published again, and the bus keeps it once: repeats do not count. */
export const batchesOf = ({ attempts }: RelayNode) =>
  attempts.filter((batch, index) => batch.join() !== attempts[index - 1]?.join());

/** The same for single ids, in the order in which they first left. */
export const idsOf = ({ attempts }: RelayNode) => [...new Set(attempts.flat())];

/**
 * Relays that share a private Postgres and a bus. Each test of the file begins with an empty outbox, a free lease and a
 * new bus.
 */
export async function prepareRelays() {
  const platform = await startIdlePlatform();
  const database = openPool(platform.databaseUrl);
  let bus: Bus;
  /** The messages on the bus, in order. */
  const kept: string[] = [];
  let nodes: RelayNode[] = [];
  let prolonging: NodeJS.Timeout | undefined;

  beforeEach(async () => {
    await asAllTenantsStatement(database, sql`delete from outbox`);
    await asAllTenantsStatement(database, sql`update slots set published_seq = 0`);
    await expireLease();
    bus = inProcessBus();
    kept.length = 0;
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

  /** A relay with its own connections. While it is held up, the bus does not answer its messages. */
  function startNode({
    isHeldUp = false,
    mayGetLost = true,
    unready = null as string | null,
    readEvents = eventsOf([]),
    untakenUpdates = new Map<string, number>(),
    onPrepare = (_node: RelayNode, _tx: Transaction): unknown => undefined,
  } = {}): RelayNode {
    const pool = openPool(platform.databaseUrl);
    const signals = localSignals({ mayGetLost });
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
      async prepare(tx, rows) {
        await onPrepare(node, tx);
        const messages = rows.map(({ fact_id }) => ({
          subject: `tenants.${TENANT}.commands.test`,
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
    const node: RelayNode = {
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
      wake: () => signals.send(allSlots.flatMap((slot) => [topics.outbox(slot), topics.eventLog(slot)])),
      async lookInVain() {
        await relay.renew();
        const before = looks;
        // At most two looks were in progress before this call.
        await vi.waitFor(() => {
          node.wake();
          expect(looks).toBeGreaterThan(before + 8);
        }, soon);
      },
      async noticeRestore() {
        await pool.generations.look();
        const known = pool.generations.current().id;
        await asAllTenantsStatement(pool, sql`select from begin_generation_v1('WITNESS', ${known}::uuid)`);
        await pool.generations.look();
      },
      renew: relay.renew,
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
  async function newRows(count = 3, tenantId = TENANT): Promise<string[]> {
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

  const published = (node: RelayNode, batches: string[][]) =>
    vi.waitFor(() => expect(batchesOf(node)).toEqual(batches), soon);

  async function epoch(): Promise<number> {
    const [lease] = await asAllTenantsStatement<{ epoch: number }>(
      database,
      sql`select epoch::int from slots where slot = ${SLOT}`,
    );
    if (!lease) throw new Error('No relay has taken the lease.');
    return lease.epoch;
  }

  const setLease = (seconds: number) =>
    asAllTenantsStatement(
      database,
      sql`
      update slots set owned_until = now() + make_interval(secs => ${seconds}), claimant = null`,
    );
  async function expireLease(): Promise<void> {
    clearInterval(prolonging);
    await setLease(-1);
  }
  /** However slow the machine is: a node that is held up does not renew the lease. */
  async function prolongLease(): Promise<void> {
    await setLease(HELD_SECONDS);
    prolonging = setInterval(() => void setLease(HELD_SECONDS).catch(() => {}), 500);
  }

  /** The lease expires, and this node has it before the former one renews it. It keeps it, however slow the machine is. */
  const takeOver = async (node: RelayNode): Promise<void> => {
    const before = await epoch();
    await vi.waitFor(async () => {
      await expireLease();
      await node.renew();
      expect(await epoch()).toBeGreaterThan(before);
    }, soon);
    await prolongLease();
  };

  /** How far the bus has acknowledged the event log. */
  async function publishedSeq(): Promise<string | undefined> {
    const [lease] = await asAllTenantsStatement<{ seq: string }>(
      database,
      sql`
      select published_seq::text as seq from slots where slot = ${SLOT}`,
    );
    return lease?.seq;
  }

  return {
    database,
    kept,
    startNode,
    newRows,
    standing,
    allPublished,
    published,
    epoch,
    setLease,
    expireLease,
    prolongLease,
    takeOver,
    publishedSeq,
  };
}
