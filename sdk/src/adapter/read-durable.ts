import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { headerOf, SENT_TO } from '@tenant-open-platform/contract/bus-access';
import { type BusClock, instantOf } from './bus-clock.js';
import type { Link } from './connect.js';
import { type AdapterLog, seldom } from './events.js';
import type { Reading } from './hand-over.js';
import { pause } from './pause.js';
import type { Pulse } from './pulse.js';

export interface Age {
  /** It was stored after reading began on this connection, or NATS has not been started since it was sent. */
  isNew: boolean;
  /** As far as this process can tell, NATS knows how often it has delivered the message. */
  isCounted: boolean;
  /** NATS has forgotten nothing since the process before has stopped. */
  isContinued: boolean;
}

export interface ReadOptions {
  stream: 'TOP_COMMANDS' | 'TOP_REPLIES';
  durable: string;
  /** Resolves to the number of messages that may be fetched now. */
  room(): Promise<number>;
  take(message: JsMsg, age: Age): void;
  clock: BusClock;
  /** That of the process before, which this one goes on with if NATS has forgotten nothing since. */
  earlier?: Reading | undefined;
  log: AdapterLog;
  pulse: Pulse;
}

/** The shortest time for which NATS keeps a request for messages. A stop waits for it. */
const FETCH_MS = 1_000;
const RETRY_MS = 1_000;
/** JSConsumerNotFoundErr. */
const CONSUMER_NOT_FOUND = 10_014;
/** A busy adapter does not ask for every message when the durable was created. */
const CREATED_FOR_MS = 250;

/**
 * What was stored so long after the last delivery of an earlier process may have been carried out by another durable's
 * adapter: that of its tenant, or the one of all tenants.
 */
const UNREAD_MS = 60_000;

/**
 * Before 2.10.14, nats-server forgets its last delivery if another message is to be delivered again while the only reader
 * is a connection that has died. It delivers the forgotten message a second time, as new.
 */
const FORGETS_DELIVERIES = /^2\.(\d|10\.(\d|1[0-3]))\b/;

/** The servers of a cluster have clocks of their own, which differ by less. */
const CLOCKS_DIFFER_MS = 500;

/**
 * `ts`: the time of NATS, which says it from 2.10 on. `last_active`: when NATS delivered last; missing until the first
 * delivery after its start.
 */
type Info = {
  config: { ack_wait?: number };
  created: string;
  ts?: string;
  delivered: { last_active?: string };
  cluster?: { leader?: string };
};

/**
 * Reads until it is stopped: through restarts of NATS, elections of a leader, and a durable that is missing or was
 * deleted and created again. It fetches only what can start at once: messages that wait here would not reach another
 * process.
 */
export function startReading(link: Link, { stream, durable, room, take, clock, earlier, log, pulse }: ReadOptions) {
  const stopping = new AbortController();
  let messages: ConsumerMessages | undefined;
  let begin = () => {};
  const serving = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let complain: AdapterLog | undefined;

  /** By the clock of this process: when reading began, or began again because NATS may have forgotten deliveries. */
  let begunAt = 0;
  let margin = 0;
  /** NATS may have forgotten what it had delivered until then. Without it: until reading began. */
  let countsSince: number | undefined;
  /** The durable was the one in use until then, by the clock of NATS. */
  let inUseUntil = 0;
  /** The last delivery before reading began, by the clock of NATS. */
  let deliveredAt = Number.NEGATIVE_INFINITY;
  let seenReconnects = -1;
  let seenLeader: string | undefined;
  /** When the durable was created. It does not know what an earlier one has delivered. */
  let createdAt = 0;
  let askedAt = 0;
  /** While this process goes on with the reading of the one before. */
  let continued: Reading | undefined;

  /** `fetchedAt`: NATS has delivered a message since this moment. Older versions tell their time only by that. */
  async function askForAges(consumer: Consumer, { fetchedAt = 0, hasGoneBack = false } = {}): Promise<void> {
    askedAt = performance.now();
    const { reconnects } = link;
    const asked = askedAt;
    const info = (await consumer.info().catch(() => undefined)) as Info | undefined;
    const isSameDurable = Date.parse(info?.created ?? '') === createdAt;
    createdAt = info ? Date.parse(info.created) : Number.POSITIVE_INFINITY;
    if (info?.config.ack_wait) pulse.redeliveredAfter(info.config.ack_wait / 1e6);
    const { ts, delivered } = info ?? {};
    if (ts) clock.learn(instantOf(ts), asked);
    else if (fetchedAt > 0 && delivered?.last_active) clock.learn(instantOf(delivered.last_active), fetchedAt);
    const leader = info?.cluster?.leader;
    const isAsBefore = reconnects === seenReconnects && leader === seenLeader && !(hasGoneBack && isSameDurable);
    if (!info || isAsBefore) return;
    const isFirst = seenReconnects < 0;
    margin = leader ? CLOCKS_DIFFER_MS : 0;
    begunAt = asked;
    // NATS started before its last delivery. It may have forgotten what it had delivered before its start.
    const { last_active } = info.delivered;
    deliveredAt = last_active ? instantOf(last_active) : Number.NEGATIVE_INFINITY;
    countsSince = isFirst && last_active ? deliveredAt + margin : undefined;
    if (!isFirst) inUseUntil = Number.POSITIVE_INFINITY;
    else if (last_active) inUseUntil = deliveredAt + UNREAD_MS;
    const isSame = earlier?.createdAt === createdAt && earlier.leader === leader;
    continued = isFirst && isSame && (leader || earlier?.server === link.server) ? earlier : undefined;
    seenReconnects = reconnects;
    seenLeader = leader;
    // What is sent once `serving` has resolved is new.
    if (isFirst) await pause(margin, stopping.signal);
  }

  function readingNow(): Reading {
    const { server } = link;
    const common = { server, leader: seenLeader, createdAt };
    if (continued) return { ...common, begunAt: continued.begunAt, forgottenUntil: continued.forgottenUntil };
    const begun = clock.latestAt(begunAt) + margin;
    return { ...common, begunAt: begun, forgottenUntil: countsSince ?? begun };
  }

  /** The server that delivered the message is the one that the platform sent it to, so it has not been started since. */
  function isCertain(message: JsMsg): boolean {
    const storedAt = message.time.getTime();
    const isOfServer = headerOf(message, SENT_TO) === link.server && !seenLeader;
    return (
      isOfServer && storedAt < inUseUntil && (storedAt > deliveredAt || !FORGETS_DELIVERIES.test(link.version ?? ''))
    );
  }

  function ageOf(message: JsMsg, isOfConnection: boolean): Age {
    const storedAt = message.time.getTime();
    const { begunAt, forgottenUntil } = readingNow();
    const certain = isOfConnection && isCertain(message);
    return {
      isNew: (certain || storedAt > begunAt) && storedAt > createdAt,
      isCounted: (certain || storedAt > forgottenUntil) && storedAt > createdAt,
      isContinued: continued !== undefined,
    };
  }

  /** Nothing starts before it is known how much time is left. The message is kept, so that no other overtakes it. */
  async function waitForTime(consumer: Consumer, message: JsMsg, fetchedAt: number): Promise<void> {
    const { reconnects } = link;
    while (!clock.isKnown && link.reconnects === reconnects && !stopping.signal.aborted) {
      message.working();
      await pause(RETRY_MS, stopping.signal);
      await askForAges(consumer, { fetchedAt });
    }
  }

  async function read(consumer: Consumer): Promise<void> {
    let last = 0;
    await askForAges(consumer);
    begin();
    while (!stopping.signal.aborted) {
      const max_messages = await room();
      if (!link.isConnected) await link.connected(stopping.signal);
      if (stopping.signal.aborted) return;
      const { reconnects } = link;
      if (link.reconnects !== seenReconnects) await askForAges(consumer);
      const fetchedAt = performance.now();
      const { freezes } = pulse;
      // The last delivery is then that of this message.
      messages = await consumer.fetch({ max_messages: clock.isKnown ? max_messages : 1, expires: FETCH_MS });
      // To the end: NATS may still send what was requested, and would not deliver it again at once.
      for await (const message of messages) {
        // While there was no room, the durable can have been deleted and created again. A new one counts from 1.
        const { deliverySequence } = message.info;
        const hasGoneBack = deliverySequence <= last;
        const mayBeAnother = hasGoneBack || performance.now() - askedAt > CREATED_FOR_MS;
        if (mayBeAnother || link.reconnects !== seenReconnects || !clock.isKnown) {
          await askForAges(consumer, { fetchedAt, hasGoneBack });
        }
        last = deliverySequence;
        if (!clock.isKnown) await waitForTime(consumer, message, fetchedAt);
        // What came before may have been delivered again meanwhile, to another process.
        const isOfConnection = link.isConnected && link.reconnects === reconnects;
        // It may have waited in the socket, and another process has had it since.
        if (pulse.freezes !== freezes) continue;
        if (!clock.isKnown) message.nak();
        else take(message, ageOf(message, isOfConnection));
      }
    }
  }

  /** The platform creates the durable of replies with the first request of a device. */
  const isAwaited = (error: unknown) =>
    stream === 'TOP_REPLIES' && (error as { code?: unknown }).code === CONSUMER_NOT_FOUND;

  const cannotRead = (error: unknown) =>
    `Cannot read ${durable} on ${stream}: ${error instanceof Error ? error.message : error}. Is the principal registered for this tenant and vendor (topctl bus-principals get)? NATS must have the configuration of topctl bus render-config.`;

  async function readOn(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await link.connected(stopping.signal);
        if (stopping.signal.aborted) return;
        const consumer = await link.client.consumers.get(stream, durable);
        if (complain) log({ level: 'info', event: 'serving', message: `Reads ${durable} on ${stream}.` });
        complain = undefined;
        await read(consumer);
      } catch (error) {
        if (stopping.signal.aborted) return;
        complain ??= seldom(log);
        if (!isAwaited(error)) complain({ level: 'warn', event: 'not-readable', message: cannotRead(error) });
        await pause(RETRY_MS, stopping.signal);
      }
    }
  }

  // Otherwise the client would request the rest again, and what came before could not be told from what comes then.
  link.onLost(() => messages?.stop());
  const reading = readOn();
  return {
    /** Resolves when the durable was found. */
    serving,
    /** For the next process. Undefined while NATS may have forgotten something. */
    reading: () => (clock.isKnown && link.isConnected && link.reconnects === seenReconnects ? readingNow() : undefined),
    async stop(): Promise<void> {
      stopping.abort();
      // While NATS is away, no end of the request arrives.
      const giveUp = setTimeout(() => messages?.stop(), 2 * FETCH_MS);
      await reading;
      clearTimeout(giveUp);
    },
  };
}
