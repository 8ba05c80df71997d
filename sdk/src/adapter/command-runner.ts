import type { RuntimeAbortSignal } from '../runtime.js';
import { isAdapterError } from './errors.js';
import type { AdapterEvent, AdapterLog } from './events.js';
import type { CommandMessage } from './messages.gen.js';
import { failed, type Progress, progressed, statusOf, succeeded, type Update } from './outcome.js';

/** The payloads of the vendor's command types, by type: `{ set_power: { power: 'on' | 'off' } }`. */
export type Payloads = Record<string, object>;

/** A command whose `command_type` determines the type of its `payload`. */
export type CommandOf<P extends Payloads> = {
  [Type in keyof P & string]: Omit<CommandMessage, 'command_type' | 'payload'> & {
    command_type: Type;
    payload: P[Type];
  };
}[keyof P & string];

export interface CommandContext {
  /** Aborted at the deadline of the command. The platform then reports TIMED_OUT to the caller. */
  readonly signal: RuntimeAbortSignal;
  /**
   * True if an earlier run of the command may have begun, here before a restart or in another process. Ask the device
   * before it acts twice.
   */
  readonly redelivered: boolean;
  /**
   * The `traceparent` of W3C Trace Context, if the command belongs to a trace. The updates of the command have it too.
   */
  readonly traceparent: string | undefined;
  /**
   * Tells the platform that the device has the command (`DELIVERED`) or executes it (`IN_PROGRESS`). Resolves when NATS
   * has stored it; never rejects. You do not have to await it.
   */
  progress(status: Progress): Promise<void>;
}

/**
 * Carries out a command. What it returns is the result of the device: the command ends as SUCCEEDED. If it throws a
 * `Rejected`, `Failed`, `Unreachable` or `Unsupported`, the command ends accordingly. If it has called `progress`,
 * `Rejected` and `Failed` are outcomes of the device, otherwise of the adapter. Any other error is logged, and the command ends as
 * FAILED with the code ADAPTER_ERROR; the tenant does not see the error.
 */
export type CommandHandler<P extends Payloads = Record<string, Record<string, unknown>>> = (
  command: CommandOf<P>,
  context: CommandContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler may return nothing.
) => Promise<object | void>;

export interface AdapterCounters {
  /** Handlers that run now, or whose outcome NATS has not acknowledged yet. */
  running: number;
  /** Commands that wait for an earlier command of their device. */
  waiting: number;
  /** Handler runs so far. */
  started: number;
  /** Acknowledged outcomes so far, by status. */
  outcomes: Record<'SUCCEEDED' | 'FAILED' | 'REJECTED' | 'UNREACHABLE' | 'UNSUPPORTED' | 'TIMED_OUT', number>;
  /** Deliveries of a command that this process had already taken: its handler did not run again. */
  repeated: number;
  /** Commands that were not started, because their deadline had passed. */
  expired: number;
  /** Attempts to publish an update or a device request that were repeated. */
  retried: number;
}

/** A message of a command: from NATS, or from a test. */
export interface Delivery {
  readonly command: CommandMessage;
  /** It may have been delivered before. */
  readonly redelivered: boolean;
  readonly traceparent?: string | undefined;
  acknowledge(): void;
  /** Restarts the time after which the command is delivered again. */
  stillWorking(): void;
  /** Lets another process have it at once. */
  giveBack(): void;
}

export interface RunnerOptions {
  onCommand: CommandHandler;
  concurrency: number;
  onePerDevice: boolean;
  counters: AdapterCounters;
  log: AdapterLog;
  /** Publishes an update until it is acknowledged, or until the signal gives up. Never rejects. */
  report(work: Reported, update: Update, signal?: RuntimeAbortSignal): Promise<void>;
}

/** The command of an update, and its trace. */
export interface Reported {
  readonly command: CommandMessage;
  readonly traceparent: string | undefined;
}

interface Work extends Reported {
  readonly device: string;
  readonly deadline: number;
  redelivered: boolean;
  /** Those that are not acknowledged yet. */
  deliveries: Delivery[];
  state: 'WAITING' | 'RUNNING' | 'ENDED';
}

/** Well within the 30 seconds after which NATS delivers an unacknowledged command again. */
const STILL_WORKING_MS = 10_000;
/** A handler that ignores its signal keeps its place. It is named in the log after this time. */
const OVERDUE_MS = 10_000;
/** How many commands may wait for their devices. */
const MAX_WAITING = 256;

/** Runs the handler: at most once for each command_id, at most so many at once, and not after the deadline. */
export class CommandRunner {
  /**
   * Every command whose deadline has not passed, and every one in work. A command that is delivered after its deadline
   * is not started, so it need not be remembered.
   */
  readonly #works = new Map<string, Work>();
  #waiting: Work[] = [];
  readonly #running = new Set<Work>();
  readonly #busyDevices = new Set<string>();
  #wakers: (() => void)[] = [];
  #isStopping = false;
  readonly #ticking = setInterval(() => this.#tick(), STILL_WORKING_MS);

  constructor(private readonly options: RunnerOptions) {
    this.#ticking.unref?.();
  }

  /** Resolves when commands may be fetched, to their number. */
  async room(): Promise<number> {
    while (this.#room() < 1 && !this.#isStopping) await this.#change();
    return this.#room();
  }

  /** Commands that can start wait for nothing but a place, so those that wait here wait for their devices. */
  #room(): number {
    const places = this.options.concurrency - this.#running.size;
    return this.#waiting.length < MAX_WAITING ? places : 0;
  }

  take(delivery: Delivery): void {
    const { command } = delivery;
    const known = this.#works.get(command.command_id);
    if (known) {
      this.options.counters.repeated += 1;
      this.#log('debug', 'repeated', command, 'was delivered again');
      known.redelivered ||= delivery.redelivered;
      if (known.state === 'ENDED') delivery.acknowledge();
      else known.deliveries.push(delivery);
      return;
    }
    if (this.#isStopping) return delivery.giveBack();
    const work: Work = {
      command,
      device: `${command.tenant_id} ${command.device_id}`,
      deadline: Date.parse(command.deadline_at),
      redelivered: delivery.redelivered,
      traceparent: delivery.traceparent,
      deliveries: [delivery],
      state: 'WAITING',
    };
    this.#works.set(command.command_id, work);
    this.#waiting.push(work);
    this.#startWaiting();
  }

  /** Gives back what has not begun, and resolves when everything else has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const { command, deliveries } of this.#waiting) {
      this.#works.delete(command.command_id);
      for (const delivery of deliveries) delivery.giveBack();
    }
    this.#waiting = [];
    this.#wake();
    while (this.#running.size > 0) await this.#change();
    clearInterval(this.#ticking);
  }

  #startWaiting(): void {
    const { concurrency, onePerDevice, counters } = this.options;
    this.#waiting = this.#waiting.filter((work) => {
      if (work.deadline <= Date.now()) {
        this.#expire(work);
        return false;
      }
      if (this.#running.size >= concurrency) return true;
      if (onePerDevice && this.#busyDevices.has(work.device)) return true;
      this.#start(work);
      return false;
    });
    counters.running = this.#running.size;
    counters.waiting = this.#waiting.length;
    this.#wake();
  }

  #expire(work: Work): void {
    this.options.counters.expired += 1;
    this.#log('warn', 'expired', work.command, 'was not started, because its deadline has passed');
    this.#end(work);
  }

  #start(work: Work): void {
    work.state = 'RUNNING';
    this.#running.add(work);
    this.#busyDevices.add(work.device);
    // Not at once: a handler must not reach this class while it decides what starts.
    const ran = Promise.resolve(work).then((started) => this.#run(started));
    void ran.finally(() => {
      this.#running.delete(work);
      this.#busyDevices.delete(work.device);
      this.#end(work);
      this.#startWaiting();
    });
  }

  #end(work: Work): void {
    work.state = 'ENDED';
    for (const delivery of work.deliveries) delivery.acknowledge();
    work.deliveries = [];
  }

  async #run(work: Work): Promise<void> {
    const { counters, report } = this.options;
    const { command } = work;
    counters.started += 1;
    this.#log('debug', 'started', command, work.redelivered ? 'is started; it was delivered before' : 'is started');
    let reported: AbortController | undefined;
    const outcome = await this.#outcomeOf(work, (status) => {
      reported ??= new AbortController();
      return report(work, progressed(status), reported.signal);
    }).catch((error) => {
      // What was thrown cannot be read: a getter of it throws.
      this.#log('error', 'failed', command, 'failed', { error });
      return failed(undefined, { isDelivered: false, isOverdue: false });
    });
    await report(work, outcome);
    // A reason of its own: otherwise Node builds an error with its stack trace.
    reported?.abort('The outcome is reported.');
    const status = statusOf(outcome);
    counters.outcomes[status] += 1;
    this.#log('debug', 'ended', command, `ended as ${status}`, { status });
  }

  async #outcomeOf(work: Work, publish: (status: Progress) => Promise<void>): Promise<Update> {
    const { command, redelivered, traceparent, deadline } = work;
    const overdue = new AbortController();
    const timer = setTimeout(
      () => overdue.abort(new DOMException('The deadline of the command has passed.', 'TimeoutError')),
      deadline - Date.now(),
    );
    let isDelivered = false;
    let isRunning = true;
    const progress = async (status: Progress) => {
      isDelivered = true;
      if (isRunning) await publish(status);
    };
    try {
      const context = { signal: overdue.signal, redelivered, traceparent, progress };
      return succeeded(await this.options.onCommand(command, context));
    } catch (error) {
      const isOverdue = overdue.signal.aborted;
      if (!isAdapterError(error)) this.#log(isOverdue ? 'warn' : 'error', 'failed', command, 'failed', { error });
      return failed(error, { isDelivered, isOverdue });
    } finally {
      isRunning = false;
      clearTimeout(timer);
    }
  }

  #tick(): void {
    this.#startWaiting();
    const now = Date.now();
    for (const [id, work] of this.#works) {
      if (work.state === 'ENDED' && work.deadline <= now) this.#works.delete(id);
      for (const delivery of work.deliveries) delivery.stillWorking();
      const overdueMs = now - work.deadline;
      if (work.state === 'RUNNING' && overdueMs >= OVERDUE_MS && overdueMs < OVERDUE_MS + STILL_WORKING_MS) {
        this.#log('warn', 'overdue', work.command, 'is past its deadline, and its outcome is still missing');
      }
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#wakers.push(resolve));
  }

  #wake(): void {
    const wakers = this.#wakers;
    this.#wakers = [];
    for (const wake of wakers) wake();
  }

  #log(
    level: AdapterEvent['level'],
    event: AdapterEvent['event'],
    { command_id, tenant_id, device_id, command_type }: CommandMessage,
    what: string,
    fields: object = {},
  ): void {
    const message = `${command_type} for ${device_id} (${command_id}) ${what}.`;
    this.options.log({ level, event, message, command_id, tenant_id, device_id, command_type, ...fields });
  }
}

export const noCounts = (): AdapterCounters => ({
  running: 0,
  waiting: 0,
  started: 0,
  outcomes: { SUCCEEDED: 0, FAILED: 0, REJECTED: 0, UNREACHABLE: 0, UNSUPPORTED: 0, TIMED_OUT: 0 },
  repeated: 0,
  expired: 0,
  retried: 0,
});
