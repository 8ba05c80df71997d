import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { newId } from '../ids.js';
import { type Looping, localSignals, type Signals, startLoop } from './signals.js';

const CHANNEL = 'top_signals';
/** Postgres allows a payload of up to 8,000 bytes. The longest topic has 108: a command of a tenant. */
const MAX_TOPICS = 60;
/** NOTIFY takes a lock that all commits share, so the signals of this interval are sent together. */
const COLLECT_MS = 10;
/** A connection that only listens sends nothing. This is the only way to notice that it is half open. */
const LISTEN_AGAIN_MS = 5_000;
const CONNECTION_CLOSED = 'connection closed';
const ECHO_WITHIN_MS = 1_000;

/** A node that receives its own `echo` receives signals. */
type Signal = { from: string; topics: string[]; echo?: number };

/** Signals between nodes that share a Postgres. One connection listens; the signals of this node are collected. */
export async function postgresSignals(
  sql: postgres.Sql,
  { logger, watchdog }: Omit<Looping, 'signals'>,
): Promise<Signals> {
  const local = localSignals();
  const self = newId();
  let lastEcho = 0;
  let onEcho = (_echo: number) => {};
  const listener = postgres({
    ...(sql.options as unknown as postgres.Options<Record<string, never>>),
    max: 1,
    max_lifetime: null,
    onnotify(_channel, payload) {
      const { from, topics, echo } = JSON.parse(payload) as Signal;
      // This node woke its own listeners when it sent the signal.
      if (from !== self) local.send(topics);
      else if (echo !== undefined) onEcho(echo);
    },
    onclose: () => local.send([CONNECTION_CLOSED]),
  });
  const listen = () => listener.unsafe(`listen ${CHANNEL}`);
  await listen();
  const listening = startLoop(
    LISTEN_AGAIN_MS,
    { name: 'signals', logger, signals: local, watchdog, topics: [CONNECTION_CLOSED], firstAfterMs: LISTEN_AGAIN_MS },
    async () => void (await listen()),
  );
  let collected = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let notifying: Promise<unknown> = Promise.resolve();

  function flush(): void {
    timer = undefined;
    const signals = inPayloads([...collected]).map((topics): Signal => ({ from: self, topics }));
    collected = new Set();
    const notified = Promise.all(signals.map((signal) => sql.notify(CHANNEL, JSON.stringify(signal)))).catch(
      (err: unknown) =>
        logger.warn({ err }, 'A signal to the other nodes was lost. They poll, so they notice the change later.'),
    );
    // Not Promise.all: its results would contain the earlier results, and grow for ever.
    notifying = notifying.then(() => notified);
  }

  return {
    ...local,
    send(topics) {
      if (topics.length === 0) return;
      local.send(topics);
      for (const topic of topics) collected.add(topic);
      // Nothing may wait after close: the connections close next.
      if (local.isClosed()) flush();
      else timer ??= setTimeout(flush, COLLECT_MS);
    },
    async isReceiving() {
      const echo = ++lastEcho;
      const heard = new Promise<boolean>((resolve) => {
        onEcho = (number) => number === echo && resolve(true);
      });
      await sql.notify(CHANNEL, JSON.stringify({ from: self, topics: [], echo } satisfies Signal));
      return Promise.race([heard, delay(ECHO_WITHIN_MS, false, { ref: false })]);
    },
    async close() {
      await local.close();
      clearTimeout(timer);
      flush();
      await notifying;
      await listening.stop();
      await listener.end({ timeout: 0 });
    },
  };
}

const inPayloads = (topics: string[]): string[][] =>
  Array.from({ length: Math.ceil(topics.length / MAX_TOPICS) }, (_, index) =>
    topics.slice(index * MAX_TOPICS, (index + 1) * MAX_TOPICS),
  );
