import type { Logger } from 'pino';
import type postgres from 'postgres';
import { newId } from '../new-id.js';
import { localSignals, type Signals } from './signals.js';

const CHANNEL = 'top_signals';
/** Postgres takes up to 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_000;
/** Notifying costs a lock that all commits share: what happens within this time goes together. */
const COLLECT_MS = 10;

type Signal = { from: string; topics: string[] };

/** Signals between nodes that share a Postgres: one connection listens, and what this node sends is collected. */
export async function postgresSignals(sql: postgres.Sql, logger: Logger): Promise<Signals> {
  const local = localSignals();
  const self = newId();
  const listening = await sql.listen(CHANNEL, (payload) => {
    const { from, topics } = JSON.parse(payload) as Signal;
    // What this node sends has woken its own listeners already.
    if (from !== self) local.send(topics);
  });
  let collected = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let notifying: Promise<unknown> = Promise.resolve();

  function flush(): void {
    timer = undefined;
    const signals = inPayloads([...collected]).map((topics): Signal => ({ from: self, topics }));
    collected = new Set();
    const notified = Promise.all(signals.map((signal) => sql.notify(CHANNEL, JSON.stringify(signal)))).catch(
      (err: unknown) => logger.warn({ err }, 'A signal to the other nodes is lost; they look again by themselves.'),
    );
    notifying = Promise.all([notifying, notified]);
  }

  return {
    ...local,
    send(topics) {
      if (topics.length === 0) return;
      local.send(topics);
      for (const topic of topics) collected.add(topic);
      // Nothing waits once it is closed: the connections close next.
      if (local.isClosed()) flush();
      else timer ??= setTimeout(flush, COLLECT_MS);
    },
    async close() {
      await local.close();
      clearTimeout(timer);
      flush();
      await notifying;
      await listening.unlisten();
    },
  };
}

/** In as few payloads as their size allows. */
function inPayloads(topics: string[]): string[][] {
  const payloads: string[][] = [];
  let size = MAX_PAYLOAD_BYTES;
  for (const topic of topics) {
    const bytes = Buffer.byteLength(topic) + 3;
    if (size + bytes > MAX_PAYLOAD_BYTES) {
      payloads.push([]);
      size = 2;
    }
    payloads.at(-1)?.push(topic);
    size += bytes;
  }
  return payloads;
}
