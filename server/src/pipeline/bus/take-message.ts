import { readSubject, type SubjectKind } from '@tenant-open-platform/contract/bus';
import type { Logger } from 'pino';
import { createWindows } from '../../foundation/concurrency/limits-per-key.js';
import type { Database } from '../../foundation/database/database.js';
import { errorCodeOf, hadNoEffect, hasUnknownEffect } from '../../foundation/database/database-error.js';
import type { Metrics } from '../../foundation/telemetry/metrics.js';
import { inSpans, traceIdOf } from '../../foundation/telemetry/spans.js';
import type { Delivery, Outcome } from './bus.js';
import { createParker, type ParkingReason, replaceParkedCopy } from './parked-messages.js';
import type { Read } from './read-message.js';

/** The sender of a message, which its subject names, and when the message was sent. */
export type MessageSource = { tenantId: string; vendor: string } & Pick<Delivery, 'sentAt' | 'age'>;

/**
 * What becomes of a message. One that moved a command is not paced: a tenant has at most as many of them as it has
 * commands. `leftOut`: a part of it was not kept, so the message is parked too, once: unless all of it `isRepeated`.
 */
export type Handled =
  | { as: 'DONE'; movedCommand?: true; leftOut?: ParkingReason | undefined; isRepeated?: boolean }
  | ({ as: 'PARKED' } & ParkingReason)
  | { as: 'RETRIED'; inMs: number };

export const done: Handled = { as: 'DONE' };
export const parked = (reason: string): Handled => ({ as: 'PARKED', reason });
export const retriedIn = (inMs: number): Handled => ({ as: 'RETRIED', inMs });

/** The pacer is shared by all kinds of messages: a tenant's device requests must not add to its updates. */
type Options = {
  database: Database;
  logger: Logger;
  metrics: Metrics;
  pacer: ReturnType<typeof createPacer>;
  /** Whether the bus can soon take no more messages of any tenant. */
  isNearlyFull: () => boolean;
};

/** A process parks a message after this many tries. Tries that failed because of the database do not count. */
const MAX_TRIES = 10;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;
/** The retry delay while the database is away. Results must be handled soon after it is back. */
const FIRST_RETRY_OF_DATABASE_MS = 250;
const LAST_RETRY_OF_DATABASE_MS = 2_000;
/** Longer than the ten tries take. */
const REMEMBER_TRIES_MS = 600_000;
/**
 * How many units of 4 KiB are parked per tenant, kind and minute. An adapter that sends invalid messages without end
 * must not fill the table and the log. The metrics count all of them.
 */
const PARKED_UNITS_PER_MINUTE = 600;
/** If more units than this wait, each tenant's messages are paced. */
const MANY_WAITING_UNITS = 1_000;

/**
 * Handles messages of one kind. A message that cannot be handled is counted and parked with the reason: it is never
 * redelivered, and no message waits behind it.
 */
export function createMessageTaker<Message>(
  { database, logger, metrics, pacer, isNearlyFull }: Options,
  kind: SubjectKind,
  read: (body: Buffer) => Read<Message>,
  take: (message: Message, sender: MessageSource, leftOut?: ParkingReason) => Promise<Handled>,
) {
  const storeParked = createParker(database);
  const parkedUnits = createWindows(60_000);
  const failedTries = createWindows(REMEMBER_TRIES_MS);
  const outageLines = createWindows(1_000);

  async function takeOrPark(delivery: Delivery): Promise<Outcome> {
    const handled = await takeValid(delivery);
    switch (handled.as) {
      case 'RETRIED':
        return { retryInMs: handled.inMs };
      case 'PARKED':
        await park(delivery, handled);
        return 'DONE';
      case 'DONE':
        if (handled.movedCommand) pacer.release(tenantOf(delivery), unitsOf(delivery.body.length));
        if (handled.leftOut && !handled.isRepeated) await keepCopy(delivery, handled.leftOut);
        else await replaceParkedCopy(database, delivery, handled.leftOut ?? null);
        metrics.countMessage(kind, handled.leftOut ? 'REFUSED' : 'TAKEN');
        return 'DONE';
    }
  }

  async function takeValid({ subject, body, sentAt, age }: Delivery): Promise<Handled> {
    const sender = readSubject(subject);
    if (sender?.kind !== kind) return parked("The subject is not one of the platform's subjects.");
    const found = read(body);
    if ('refused' in found) return { as: 'PARKED', ...found.refused };
    return take(found.message, { tenantId: sender.tenantId, vendor: sender.name, sentAt, age }, found.leftOut);
  }

  async function park(delivery: Delivery, why: ParkingReason): Promise<void> {
    await keepCopy(delivery, why);
    metrics.countMessage(kind, 'REFUSED');
  }

  async function keepCopy(delivery: Delivery, { reason, details }: ParkingReason): Promise<void> {
    if (await replaceParkedCopy(database, delivery, { reason, details })) {
      logger.warn({ subject: delivery.subject, reason }, 'a message that was published again is parked again');
    } else if (parkedUnits.add(tenantOf(delivery), unitsOf(delivery.body.length)).used <= PARKED_UNITS_PER_MINUTE) {
      const trace_id = traceIdOf(delivery.traceparent);
      logger.warn({ subject: delivery.subject, reason, trace_id }, 'a message from the bus is parked');
      await storeParked({ ...delivery, reason, details });
    }
  }

  async function retry(delivery: Delivery, error: unknown): Promise<Outcome> {
    const { id, subject, attempt } = delivery;
    if (isOfDatabase(error)) {
      if (outageLines.add('').used === 1) {
        logger.error({ err: error, subject, attempt }, 'messages wait for the database');
      }
      return { retryInMs: backOff(attempt, FIRST_RETRY_OF_DATABASE_MS, LAST_RETRY_OF_DATABASE_MS) };
    }
    logger.error({ err: error, subject, attempt }, 'a message was not handled');
    const { used: tries } = failedTries.add(id);
    if (tries < MAX_TRIES) return { retryInMs: backOff(tries, FIRST_RETRY_MS, LAST_RETRY_MS) };
    await park(delivery, { reason: `Failed ${MAX_TRIES} times.` });
    return 'DONE';
  }

  async function takeOrDelay(delivery: Delivery): Promise<Outcome> {
    const units = unitsOf(delivery.body.length);
    try {
      // A message that was delayed is not delayed again.
      if (delivery.attempt === 1 && delivery.waitingBehind * units > MANY_WAITING_UNITS) {
        if (pacer.hasMany(tenantOf(delivery)) && isNearlyFull()) {
          const reason = 'The tenant has too many messages waiting on the bus.';
          await park({ ...delivery, messageId: '' }, { reason });
          return 'DONE';
        }
        const delayMs = pacer.book(tenantOf(delivery), units);
        if (delayMs > 0) return { retryInMs: delayMs };
      }
      return await takeOrPark(delivery);
    } catch (error) {
      return retry(delivery, error);
    }
  }

  return (delivery: Delivery) => inSpans('process', [delivery], () => takeOrDelay(delivery));
}

const tenantOf = ({ subject }: Delivery) => readSubject(subject)?.tenantId ?? '';

const backOff = (tries: number, firstMs: number, lastMs: number) => Math.min(firstMs * 2 ** (tries - 1), lastMs);

/** deadlock_detected, serialization_failure: a retry may succeed. */
const CONFLICTS = new Set(['40P01', '40001']);

/** The failure is the database's, not the message's. */
const isOfDatabase = (error: unknown) =>
  hadNoEffect(error) || hasUnknownEffect(error) || CONFLICTS.has(errorCodeOf(error) ?? '');

/** A message counts one unit per started 4 KiB: a large one takes as long to handle as many small ones. */
const UNIT_BYTES = 4_096;
/**
 * One tenant gets at most this share of what the process receives while many messages wait. The rest of its time is left
 * for other tenants. A fixed pace left nothing for them on a slow machine.
 */
const SHARE = 1 / 4;
/** Bounds of the share, in units per second. */
const MOST = 2_000;
const LEAST = 200;
/** How long the process counts what it receives. A longer interval contains a rest and is ignored. */
const INTERVAL_MS = 250;
/** The first units of a tenant are not delayed: they are more than a process handles at a time. */
const UNDELAYED_UNITS = 500;
/** Delays are multiples of this: nats-server 2.9 scans all delayed messages whenever a delay ends. */
const STEP_MS = 250;
/** 352 MiB: more than NATS keeps of one subject (see streams.ts). Only a tenant with several subjects can reach it. */
const MANY_UNITS = (352 * 1_024 * 1_024) / UNIT_BYTES;
/** Bounds memory: above this number of tenants, all tenants start again with empty queues. */
const MAX_TENANTS = 10_000;

/** The units of a message of this size. */
export const unitsOf = (bytes: number) => Math.ceil(bytes / UNIT_BYTES) || 1;

/**
 * Keeps one tenant from delaying the messages of other tenants: a leaky bucket per tenant. A message that finds its
 * tenant's bucket full is not handled now. It is returned to the bus for a while, which costs a fraction of handling
 * it, so the process soon reaches the messages of other tenants.
 */
export function createPacer(now = () => performance.now()) {
  const buckets = new Map<string, { units: number; at: number }>();
  let perSecond = MOST;
  let interval = { from: now(), units: 0 };

  function count(units: number, at: number): void {
    interval.units += units;
    const ms = at - interval.from;
    if (ms < INTERVAL_MS) return;
    if (ms < 2 * INTERVAL_MS) perSecond = Math.min(MOST, Math.max(LEAST, (SHARE * 1_000 * interval.units) / ms));
    interval = { from: at, units: 0 };
  }

  return {
    /** Returns the milliseconds after which the message may be handled; 0 is now. */
    book(tenantId: string, units: number): number {
      const at = now();
      count(units, at);
      if (buckets.size > MAX_TENANTS) buckets.clear();
      const before = buckets.get(tenantId) ?? { units: 0, at };
      const level = Math.max(0, before.units - (perSecond * (at - before.at)) / 1_000);
      buckets.set(tenantId, { units: level + units, at });
      const excess = level + units - UNDELAYED_UNITS;
      return excess <= 0 ? 0 : Math.ceil((excess * 1_000) / perSecond / STEP_MS) * STEP_MS;
    },
    /** Whether more units of the tenant wait than one adapter can have on the bus. */
    hasMany: (tenantId: string): boolean => (buckets.get(tenantId)?.units ?? 0) > MANY_UNITS,
    /** Takes a message out of the bucket. */
    release(tenantId: string, units: number): void {
      const bucket = buckets.get(tenantId);
      if (bucket) bucket.units -= units;
    },
  };
}
