import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ApiError } from '../operation/api-error.js';
import type { Signals } from './signals.js';
import { createWaker } from './waker.js';

/** How long a change may go unnoticed whose signal was lost: while signals arrive, and while they do not. */
const LOOK_OUT_MS = { min: 10_000, max: 15_000 };
const LOOK_OUT_WITHOUT_SIGNALS_MS = 2_000;

/** A request looks again after a signal at most this often, and more rarely where many wait for the same topic. */
const BETWEEN_LOOKS_MS = 200;
const BETWEEN_LOOKS_OF_A_TOPIC_MS = 4;

/** Requests that look again leave the other connections of the pool to requests that do not wait. */
const MAX_LOOKS_AT_ONCE = 4;

/** When each of the topics changed last, by the clock of the database; a topic without a change may be missing. */
export type ChangesOf = (topics: string[]) => Promise<Map<string, Date>>;

type Options = {
  signals: Signals;
  changesOf: ChangesOf;
  /** The most requests of a tenant that may wait in this process. */
  perTenant: number;
  logger: Logger;
};

type Waiting<Found> = {
  call: { tenantId: string; admittedAt: Date };
  topic: string;
  waitSeconds: number;
  /** Reads once. A request holds no connection between two looks. */
  look: () => Promise<Found>;
  isEnough: (found: Found) => boolean;
};

/** Returns what a look finds once it is enough, or after the wait, or when the process stops. */
export type WaitFor = <Found>(waiting: Waiting<Found>) => Promise<Found>;

/**
 * Requests that wait look again after a signal of their topic. For signals that get lost, one statement looks out for
 * all of them: only requests whose topic has changed look for themselves.
 */
export function createWaitFor({ signals, changesOf, perTenant, logger }: Options): WaitFor {
  const waiting = new Set<{ topic: string; lookedAt: number; wake: () => void }>();
  const perTenantNow = new Map<string, number>();
  const inTurn = queue(MAX_LOOKS_AT_ONCE);

  const lookOutIn = (milliseconds: number) => void setTimeout(() => void lookOut(), milliseconds).unref();
  lookOutIn(LOOK_OUT_WITHOUT_SIGNALS_MS);

  async function lookOut(): Promise<void> {
    if (signals.isClosed()) return;
    let isReceiving = false;
    try {
      if (waiting.size > 0) await wakeWhereMissed();
      isReceiving = await signals.isReceiving();
    } catch (err) {
      if (!signals.isClosed())
        logger.warn({ err }, 'Changes whose signals were lost could not be looked for. It is tried again.');
    }
    const { min, max } = LOOK_OUT_MS;
    lookOutIn(isReceiving ? min + Math.random() * (max - min) : LOOK_OUT_WITHOUT_SIGNALS_MS);
  }

  async function wakeWhereMissed(): Promise<void> {
    const changes = await changesOf([...new Set([...waiting].map(({ topic }) => topic))]);
    for (const { topic, lookedAt, wake } of waiting) {
      const changedAt = changes.get(topic);
      if (changedAt && changedAt.getTime() > lookedAt) wake();
    }
  }

  function enter(tenantId: string): () => void {
    const already = perTenantNow.get(tenantId) ?? 0;
    if (already >= perTenant) {
      throw new ApiError('RATE_LIMITED', {
        message: `${perTenant} requests of the tenant wait on this node already. Wait with fewer at a time, or ask without wait_seconds.`,
        headers: { 'Retry-After': '1' },
      });
    }
    perTenantNow.set(tenantId, already + 1);
    return () => {
      const left = (perTenantNow.get(tenantId) ?? 1) - 1;
      if (left === 0) perTenantNow.delete(tenantId);
      else perTenantNow.set(tenantId, left);
    };
  }

  async function waitFor<Found>({ call, topic, waitSeconds, look, isEnough }: Waiting<Found>): Promise<Found> {
    if (waitSeconds === 0) return look();
    const leave = enter(call.tenantId);
    const startedAt = performance.now();
    const until = startedAt + waitSeconds * 1000;
    const waker = createWaker(signals, topic);
    const self = { topic, lookedAt: 0, wake: waker.wake };
    waiting.add(self);
    try {
      for (let isFirst = true; ; isFirst = false) {
        waker.reset();
        const lookedAt = performance.now();
        self.lookedAt = call.admittedAt.getTime() + (lookedAt - startedAt);
        const found = await (isFirst ? look() : inTurn(look));
        const left = until - performance.now();
        if (isEnough(found) || left <= 0 || signals.isClosed()) return found;
        await waker.sleep(left);
        const between = Math.max(BETWEEN_LOOKS_MS, BETWEEN_LOOKS_OF_A_TOPIC_MS * signals.listeners(topic));
        const pause = Math.min(lookedAt + between, until) - performance.now();
        if (pause > 0 && !signals.isClosed()) await delay(pause);
      }
    } finally {
      waker.stop();
      waiting.delete(self);
      leave();
    }
  }

  return waitFor;
}

/** Runs at most so many at a time, the others in the order in which they came. */
function queue(most: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <Result>(run: () => Promise<Result>): Promise<Result> => {
    if (running === most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
