import type { RuntimeAbortSignal } from '../runtime.js';
import type { AdapterCounters, CommandHandler } from './command-handler.js';
import type { AdapterEvent, AdapterLog } from './events.js';
import { FairPlaces } from './fair-places.js';
import type { CommandMessage } from './messages.gen.js';
import { failed, notStarted, type Progress, progressed, type Step, statusOf, type Update } from './outcome.js';
import { logCommand, runHandler } from './run-handler.js';

/** A message of a command: from NATS, or from a test. */
export interface Delivery {
  readonly command: CommandMessage;
  /** Another process, or an earlier one, may have begun it. It can become true while the command waits. */
  readonly redelivered: boolean;
  /** Nobody can have begun it before. It can become false while the command waits. */
  readonly isFirst: boolean;
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
  /** Whether the commands are of several tenants, which share the places. */
  isShared: boolean;
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
  command: CommandMessage;
  /** Among whom the places are shared: the device, and in a shared adapter its tenant. */
  readonly keys: readonly [device: string, ...tenant: string[]];
  readonly deadline: number;
  redelivered: boolean;
  /** Those that are not acknowledged yet. */
  deliveries: Delivery[];
  /** REPORTING: it is not started, or not once more, and its outcome is being reported. */
  state: 'WAITING' | 'RUNNING' | 'REPORTING' | 'ENDED';
  outcome?: Update;
  givingUp?: ReturnType<typeof setTimeout> | undefined;
}

/** Well within the 30 seconds after which NATS delivers an unacknowledged command again. */
const STILL_WORKING_MS = 10_000;
/** A handler that ignores its signal keeps its place. It is named in the log after this time. */
const OVERDUE_MS = 10_000;
/** How many commands of busy devices and tenants wait here. Each costs its message, and a sign of life every 10 seconds. */
const MAX_WAITING = 4_096;
/** So long before its deadline a command stops waiting: the platform must know in time that it was not started. */
const BEFORE_DEADLINE_MS = 2_000;
/** So long one who has its share of those that wait delays reading. Then its further commands are refused. */
const PATIENCE_MS = 1_000;
const WARN_EVERY_MS = 30_000;

/**
 * Runs the handler: at most once for each command_id, at most so many at once, and not after the deadline. A command
 * that is delivered has a place until it is acknowledged: among the running, or among the waiting. Devices and tenants
 * share both kinds of places, so that silent ones delay their own commands and not those of others.
 */
export class CommandRunner {
  /**
   * Every command whose deadline has not passed, and every one in work. A command that is delivered after its deadline
   * is not started, so it need not be remembered.
   */
  readonly #works = new Map<string, Work>();
  readonly #places: FairPlaces;
  readonly #held = new FairPlaces(MAX_WAITING);
  /** Those that wait, by tenant and device. */
  readonly #queues = new Map<string, Map<string, Work[]>>();
  /** Those that run, or whose outcome is being reported. */
  readonly #busy = new Set<Work>();
  #wakers: (() => void)[] = [];
  #warnedAt = Number.NEGATIVE_INFINITY;
  #isStopping = false;
  readonly #ticking = setInterval(() => this.#tick(), STILL_WORKING_MS);

  constructor(private readonly options: RunnerOptions) {
    this.#places = new FairPlaces(options.concurrency);
    this.#ticking.unref?.();
  }

  /**
   * Resolves when commands may be fetched, to their number. What is fetched starts at once, or waits for its device or
   * tenant: another process could not start it sooner.
   */
  async room(): Promise<number> {
    let isPatient = true;
    const patience = setTimeout(() => {
      isPatient = false;
      this.#wake();
    }, PATIENCE_MS);
    while (this.#room(isPatient) < 1 && !this.#isStopping) await this.#change();
    clearTimeout(patience);
    return this.#room(isPatient);
  }

  #room(isPatient: boolean): number {
    const { free } = this.#held;
    // If all were of the key that has the most, it would then have its share of those that wait, and none be refused.
    const withinShare = Math.ceil((free - this.#held.most()[1]) / 2);
    return Math.min(this.#places.free, isPatient ? withinShare : free);
  }

  take(delivery: Delivery): void {
    const { command } = delivery;
    const known = this.#works.get(command.command_id);
    if (known) {
      this.options.counters.repeated += 1;
      this.#log('debug', 'repeated', command, 'was delivered again');
      known.deliveries.push(delivery);
      // NATS may have lost the outcome. The platform handles it once.
      if (known.state === 'ENDED') void this.#report(known).then(() => this.#end(known));
      return;
    }
    if (this.#isStopping) return delivery.giveBack();
    const { tenant_id, device_id } = command;
    const device = `${tenant_id} ${device_id}`;
    const work: Work = {
      command,
      keys: this.options.isShared ? [device, tenant_id] : [device],
      deadline: Date.parse(command.deadline_at),
      redelivered: false,
      traceparent: delivery.traceparent,
      deliveries: [delivery],
      state: 'WAITING',
    };
    this.#works.set(command.command_id, work);
    this.#wait(work);
  }

  /** Gives back what has not begun, and resolves when everything else has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const work of [...this.#queues.values()].flatMap((queues) => [...queues.values()].flat())) {
      this.#leaveQueue(work);
      this.#held.leave(work.keys);
      this.#works.delete(work.command.command_id);
      for (const delivery of work.deliveries) delivery.giveBack();
    }
    this.#wake();
    while (this.#busy.size > 0) await this.#change();
    clearInterval(this.#ticking);
  }

  #wait(work: Work): void {
    const { tenant_id } = work.command;
    const [device] = work.keys;
    const isWithinShare = this.#held.mayTake(work.keys);
    const queues = this.#queues.get(tenant_id) ?? new Map<string, Work[]>();
    const queue = queues.get(device) ?? [];
    this.#queues.set(tenant_id, queues.set(device, queue));
    queue.push(work);
    this.#held.take(work.keys);
    this.options.counters.waiting += 1;
    const remainingMs = work.deadline - Date.now();
    if (remainingMs <= 0) return this.#refuse(work, 'NOT_STARTED');
    if (queue[0] === work && this.#mayStart(work)) return this.#start(work);
    if (!isWithinShare) return this.#refuse(work, 'ADAPTER_BUSY');
    const waitMs = remainingMs - Math.min(BEFORE_DEADLINE_MS, remainingMs / 2);
    work.givingUp = setTimeout(() => this.#refuse(work, 'ADAPTER_BUSY'), waitMs);
  }

  #leaveQueue(work: Work): void {
    const { tenant_id } = work.command;
    const [device] = work.keys;
    const queues = this.#queues.get(tenant_id);
    const queue = queues?.get(device) ?? [];
    queue.splice(queue.indexOf(work), 1);
    if (queue.length === 0) queues?.delete(device);
    if (queues?.size === 0) this.#queues.delete(tenant_id);
    clearTimeout(work.givingUp);
    this.options.counters.waiting -= 1;
  }

  #mayStart({ keys }: Work): boolean {
    return this.#places.mayTake(keys) && !(this.options.onePerDevice && this.#places.usedBy(keys[0]) > 0);
  }

  #startWaiting(): void {
    for (const [tenant, queues] of this.#queues) {
      for (const [device, queue] of queues) {
        if (this.#places.free < 1) return;
        if (this.options.isShared && !this.#places.mayTake([tenant])) break;
        const [first] = queue;
        if (!first || !this.#mayStart(first)) continue;
        this.#start(first);
        // The other devices of the tenant come before its next command.
        if (queue.length > 0 && queues.delete(device)) queues.set(device, queue);
      }
    }
  }

  #refuse(work: Work, code: 'ADAPTER_BUSY' | 'NOT_STARTED'): void {
    const { counters } = this.options;
    this.#leaveQueue(work);
    const isLate = code === 'NOT_STARTED';
    if (isLate) {
      counters.expired += 1;
      this.#log('warn', 'expired', work.command, 'was not started, because its deadline has passed');
    } else {
      this.#log(
        'debug',
        'refused',
        work.command,
        'was not started, because of earlier commands of its device or tenant',
      );
      const full = work.keys.findLast((key) => !this.#places.mayTake([key]));
      this.#warn(full ?? work.keys[0], 'Commands end as ADAPTER_BUSY');
    }
    // After the deadline, the platform has said that it does not know.
    const isFirst = work.deliveries.every((delivery) => delivery.isFirst);
    const isNews = isFirst || !isLate;
    const update = notStarted(code, isFirst);
    if (isNews) work.outcome = update;
    void this.#report(work).then(() => {
      if (!isLate) counters.outcomes[statusOf(update)] += 1;
      this.#held.leave(work.keys);
      this.#end(work);
    });
  }

  async #report(work: Work): Promise<void> {
    work.state = 'REPORTING';
    this.#busy.add(work);
    if (work.outcome) await this.options.report(work, work.outcome);
  }

  #start(work: Work): void {
    if (work.deadline <= Date.now()) return this.#refuse(work, 'NOT_STARTED');
    const { counters } = this.options;
    this.#leaveQueue(work);
    this.#held.leave(work.keys);
    work.redelivered = work.deliveries.some(({ redelivered }) => redelivered);
    work.state = 'RUNNING';
    this.#busy.add(work);
    this.#places.take(work.keys);
    counters.running += 1;
    if (this.#places.free < 1) this.#warn(this.#places.most()[0], `All ${this.#places.size} places are taken`);
    // Not at once: a handler must not reach this class while it decides what starts.
    const ran = Promise.resolve(work).then((started) => this.#run(started));
    void ran.finally(() => {
      this.#places.leave(work.keys);
      counters.running -= 1;
      this.#end(work);
    });
  }

  #end(work: Work): void {
    work.state = 'ENDED';
    this.#busy.delete(work);
    for (const delivery of work.deliveries) delivery.acknowledge();
    work.deliveries = [];
    // What is remembered until the deadline has the outcome instead.
    work.command = { ...work.command, payload: {} };
    this.#startWaiting();
    this.#wake();
  }

  async #run(work: Work): Promise<void> {
    const { counters, onCommand, report } = this.options;
    const { command } = work;
    counters.started += 1;
    this.#log('debug', 'started', command, work.redelivered ? 'is started; it was delivered before' : 'is started');
    let reported: AbortController | undefined;
    const publish = (status: Progress, step?: Step) => {
      reported ??= new AbortController();
      return report(work, progressed(status, step), reported.signal);
    };
    const started = {
      command,
      deadline: work.deadline,
      traceparent: work.traceparent,
      get redelivered() {
        return work.redelivered || work.deliveries.some((delivery) => delivery.redelivered);
      },
    };
    const outcome = await runHandler(onCommand, started, publish, this.options.log).catch((error) => {
      // What was thrown cannot be read: a getter of it throws.
      this.#log('error', 'failed', command, 'failed', { error });
      return failed(undefined, { isDelivered: false, isOverdue: false });
    });
    work.outcome = outcome;
    await report(work, outcome);
    // A reason of its own: otherwise Node builds an error with its stack trace.
    reported?.abort('The outcome is reported.');
    const status = statusOf(outcome);
    counters.outcomes[status] += 1;
    const lost = status === 'SUCCEEDED' ? outcome.status_reason?.message : undefined;
    const ended = lost === undefined ? `ended as ${status}` : `ended as ${status}, without its result: ${lost}`;
    this.#log(lost === undefined ? 'debug' : 'warn', 'ended', command, ended, { status });
  }

  #tick(): void {
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

  /** Once in a while: a busy adapter must not fill its log. */
  #warn(key: string, what: string): void {
    const now = performance.now();
    if (now - this.#warnedAt < WARN_EVERY_MS) return;
    this.#warnedAt = now;
    const [tenant_id = '', device_id] = key.split(' ');
    const who = device_id === undefined ? `tenant ${tenant_id}` : `device ${device_id} of tenant ${tenant_id}`;
    const running = this.#places.usedBy(key);
    const waiting = this.#held.usedBy(key);
    const message = `${what}. The most busy is ${who}: ${running} of its commands run, ${waiting} wait.`;
    this.options.log({ level: 'warn', event: 'busy', message, tenant_id, ...(device_id && { device_id }) });
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#wakers.push(resolve));
  }

  #wake(): void {
    const wakers = this.#wakers;
    this.#wakers = [];
    for (const wake of wakers) wake();
  }

  #log(level: AdapterEvent['level'], event: AdapterEvent['event'], command: CommandMessage, what: string, fields = {}) {
    logCommand(this.options.log, level, event, command, what, fields);
  }
}
