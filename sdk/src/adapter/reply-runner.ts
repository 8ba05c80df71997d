import type { RuntimeAbortSignal } from '../runtime.js';
import { isAdapterError } from './errors.js';
import type { AdapterLog } from './events.js';
import { FairQueues, type Keys, keysOf } from './fair-queues.js';
import { isGivenBack, type KitRun, kitRun, newRun, OVERDUE_MS, stopRun } from './kit-run.js';
import type { DeviceReplyMessage } from './messages.gen.js';
import { until } from './pause.js';
import type { Pulse } from './pulse.js';

export interface ReplyContext {
  readonly tenant_id: string;
  /** The name of the bus of the reply, if the adapter has several `buses`. */
  readonly bus?: string | undefined;
  /** Aborted when the request expires, or 5 seconds after the adapter was told to stop. */
  readonly signal: RuntimeAbortSignal;
  /** Milliseconds until the request expires, by the clock of NATS. */
  readonly remainingMs: number;
}

/**
 * Delivers a reply to its device. If it throws, NATS delivers the reply again, to any process of the adapter, until the
 * request expires: after 5 seconds, then later and later. `throw new Unreachable()` says that the device cannot be reached,
 * which is no error.
 */
export type ReplyHandler = (reply: DeviceReplyMessage, context: ReplyContext) => Promise<void> | void;

/** A message of a reply: from NATS, or from a test. */
export interface ReplyDelivery {
  readonly tenantId: string;
  readonly reply: DeviceReplyMessage;
  /** Milliseconds until the request expires, when the reply came. */
  readonly leftMs: number;
  /** Counts from 1. */
  readonly attempt: number;
  acknowledge(): void;
  /** Restarts the time after which the reply is delivered again. */
  stillWorking(): void;
  retry(delayMs: number): void;
}

export interface ReplyOptions {
  onReply: ReplyHandler | undefined;
  concurrency: number;
  onePerDevice: boolean;
  /** Whether the replies are of several tenants, which share the places. */
  isShared: boolean;
  log: AdapterLog;
  pulse: Pulse;
}

interface Work {
  readonly key: string;
  readonly keys: Keys;
  readonly delivery: ReplyDelivery;
  /** By the monotonic clock of this process. */
  readonly expiresAt: number;
  readonly run: KitRun;
  readonly ending: AbortController;
  /** The process was frozen since it came: NATS has given it to another one, or delivers it here again. */
  readonly isLost: () => boolean;
  isRunning: boolean;
}

/** Another process waits for the reply. */
const ELSEWHERE_MS = 100;
const LONGEST_ELSEWHERE_MS = 5_000;
/** The device was not reached. */
const FIRST_RETRY_MS = 5_000;
const SHORTEST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 300_000;
/** How long handlers may take to end after the adapter was told to stop. */
const STOP_WITHIN_MS = 5_000;
/** While this process still reads, NATS would deliver it here at once. */
const GIVEN_BACK_MS = 1_000;
const FETCH_AT_MOST = 256;
/** One line of the log names so many. */
const MAX_NAMES = 10;

/**
 * Runs `onReply`: once at a time for each reply, and not after its request has expired. Devices and tenants share the places
 * as those of commands.
 */
export class ReplyRunner {
  readonly #works = new Map<string, Work>();
  readonly #queues: FairQueues<Work>;
  readonly #running = new Set<Work>();
  readonly #stopping = new AbortController();
  #wakers: (() => void)[] = [];
  #stopped: Promise<void> | undefined;

  constructor(private readonly options: ReplyOptions) {
    this.#queues = new FairQueues(options.concurrency, options.onePerDevice);
    options.pulse.onBeat(() => this.#tick());
  }

  async room(awaited: () => number): Promise<number> {
    const room = () => Math.min(FETCH_AT_MOST, Math.max(this.#queues.held.free, awaited()));
    while (room() < 1 && !this.#stopping.signal.aborted) {
      await new Promise<void>((resolve) => this.#wakers.push(resolve));
    }
    return room();
  }

  wake(): void {
    const wakers = this.#wakers;
    this.#wakers = [];
    for (const wake of wakers) wake();
  }

  take(delivery: ReplyDelivery): void {
    const { tenantId, reply, leftMs, attempt } = delivery;
    const key = keyOf(tenantId, reply);
    // The delivery in work acknowledges it.
    if (this.#works.has(key)) return;
    if (leftMs <= 0) return delivery.acknowledge();
    if (this.#stopping.signal.aborted) return delivery.retry(GIVEN_BACK_MS);
    const { onReply, isShared, log, pulse } = this.options;
    if (!onReply) return delivery.retry(Math.min(LONGEST_ELSEWHERE_MS, ELSEWHERE_MS * attempt));
    const keys = keysOf(tenantId, reply.device_id, isShared);
    const isWithinShare = this.#queues.held.mayTake(keys);
    const expiresAt = performance.now() + leftMs;
    const ending = new AbortController();
    const { freezes } = pulse;
    const isLost = () => pulse.freezes !== freezes;
    const work: Work = { key, keys, delivery, expiresAt, run: newRun(isLost), ending, isLost, isRunning: false };
    this.#works.set(key, work);
    this.#queues.join(work);
    if (this.#queues.mayStart(work)) return this.#start(work, onReply);
    const full = keys.findLast((one) => !this.#queues.places.mayTake([one]));
    if (full) this.#queues.warn(log, 'Replies wait', full, 'replies');
    if (isWithinShare) return;
    this.#leaveQueue(work);
    this.#works.delete(key);
    delivery.retry(retryMs(attempt, leftMs));
  }

  /**
   * Gives back what waits, here or in `waitFor` for its device. Resolves when the other handlers have ended, or when they go
   * on although their signal is aborted: these are named in one line.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    for (const work of [...this.#queues]) {
      this.#leaveQueue(work);
      this.#works.delete(work.key);
      if (!work.isLost()) work.delivery.retry(GIVEN_BACK_MS);
    }
    for (const { run } of this.#running) stopRun(run);
    this.wake();
    await this.#allEnded(STOP_WITHIN_MS);
    for (const { ending } of this.#running) ending.abort(new DOMException('The adapter stops.', 'AbortError'));
    await this.#allEnded(OVERDUE_MS);
    if (this.#running.size === 0) return;
    const names = [...this.#running].map(({ delivery: { reply } }) => nameOf(reply)).slice(0, MAX_NAMES);
    const message = `Stops without ${this.#running.size} handlers of replies that go on: ${names.join(', ')}.`;
    this.options.log({ level: 'warn', event: 'overdue', message });
  }

  async #allEnded(withinMs: number): Promise<void> {
    const over = new AbortController();
    const limit = setTimeout(() => over.abort(), withinMs);
    while (this.#running.size > 0 && !over.signal.aborted) {
      await until(new Promise<void>((resolve) => this.#wakers.push(resolve)), over.signal);
    }
    clearTimeout(limit);
  }

  #leaveQueue(work: Work): void {
    this.#queues.leave(work);
    this.#queues.held.leave(work.keys);
  }

  /** No delivery of it begins here. NATS delivers it again, unless another process has it. */
  #dropLost(): void {
    const lost = [...this.#queues].filter(({ isLost }) => isLost());
    if (lost.length === 0) return;
    for (const work of lost) {
      this.#leaveQueue(work);
      this.#works.delete(work.key);
    }
    this.#next();
  }

  #start(work: Work, onReply: ReplyHandler): void {
    if (work.isLost()) return this.#dropLost();
    const { places } = this.#queues;
    this.#leaveQueue(work);
    places.take(work.keys);
    work.isRunning = true;
    this.#running.add(work);
    if (places.free < 1) {
      this.#queues.warn(
        this.options.log,
        `All ${places.size} places of replies are taken`,
        places.most()[0],
        'replies',
      );
    }
    // Not at once: a handler must not reach this class while it decides what starts.
    void Promise.resolve().then(() => this.#deliver(work, onReply));
  }

  async #deliver(work: Work, onReply: ReplyHandler): Promise<void> {
    const { delivery, ending, run, expiresAt } = work;
    const { tenantId, reply, attempt } = delivery;
    const remainingMs = () => Math.max(0, expiresAt - performance.now());
    const expired = new DOMException('The request has expired.', 'TimeoutError');
    const timer = setTimeout(() => ending.abort(expired), remainingMs());
    try {
      const context: ReplyContext & { [kitRun]: KitRun } = {
        [kitRun]: run,
        tenant_id: tenantId,
        signal: ending.signal,
        get remainingMs() {
          return remainingMs();
        },
      };
      await onReply(reply, context);
      if (work.isRunning) delivery.acknowledge();
    } catch (error) {
      // It has lost its place, and was acknowledged then.
      if (!work.isRunning) return;
      if (work.isLost()) {
        // NATS would take it away from the process that has it.
      } else if (this.#stopping.signal.aborted) delivery.retry(GIVEN_BACK_MS);
      else if (remainingMs() === 0) delivery.acknowledge();
      else delivery.retry(retryMs(attempt, remainingMs()));
      if (!isGivenBack(error)) this.#logFailure(delivery, error);
    } finally {
      clearTimeout(timer);
      this.#end(work);
    }
  }

  #logFailure({ tenantId, reply: { device_id, request_type, dedupe_id }, ...delivery }: ReplyDelivery, error: unknown) {
    const isExpected = isAdapterError(error) && error.status === 'UNREACHABLE';
    this.options.log({
      level: isExpected ? 'debug' : 'error',
      event: 'failed',
      message: `The reply to ${request_type} of ${device_id} (${dedupe_id}) was not delivered; it is tried again until the request expires.`,
      tenant_id: tenantId,
      device_id,
      dedupe_id,
      attempt: delivery.attempt,
      ...(!isExpected && { error }),
    });
  }

  #end(work: Work): void {
    if (!work.isRunning) return;
    work.isRunning = false;
    this.#works.delete(work.key);
    this.#running.delete(work);
    this.#queues.places.leave(work.keys);
    this.#next();
  }

  #next(): void {
    const { onReply } = this.options;
    if (onReply && !this.#stopping.signal.aborted) this.#queues.startWaiting((first) => this.#start(first, onReply));
    this.wake();
  }

  #tick(): void {
    this.#dropLost();
    const now = performance.now();
    for (const work of this.#works.values()) {
      const { delivery, expiresAt, isRunning } = work;
      if (!isRunning && expiresAt <= now) {
        this.#leaveQueue(work);
        this.#works.delete(work.key);
        delivery.acknowledge();
      } else if (isRunning && expiresAt + OVERDUE_MS <= now) this.#leaveBehind(work);
      else if (work.isLost()) work.run.wake?.();
      else delivery.stillWorking();
    }
    this.wake();
  }

  /** Its handler ignores its signal. Its device gets the next reply. */
  #leaveBehind(work: Work): void {
    const { tenantId, reply } = work.delivery;
    const message = `The reply to ${nameOf(reply)} is past its expiry, and its handler goes on.`;
    const { device_id, dedupe_id } = reply;
    this.options.log({ level: 'warn', event: 'overdue', message, tenant_id: tenantId, device_id, dedupe_id });
    work.delivery.acknowledge();
    this.#end(work);
  }
}

/** Two devices may use one id. */
export const keyOf = (tenantId: string, { device_id, dedupe_id }: { device_id: string; dedupe_id: string }) =>
  `${tenantId} ${dedupe_id} ${device_id}`;

const nameOf = ({ request_type, device_id, dedupe_id }: DeviceReplyMessage) =>
  `${request_type} of ${device_id} (${dedupe_id})`;

/** Twice as long each time, but not longer than half of what is left: the device may wake at the last moment. */
const retryMs = (attempt: number, leftMs: number) =>
  Math.max(SHORTEST_RETRY_MS, Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempt - 1), leftMs / 2));
