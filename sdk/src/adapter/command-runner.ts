import type { Delivery, RunnerOptions } from './command-delivery.js';
import { Work } from './command-work.js';
import type { AdapterEvent } from './events.js';
import { FairQueues } from './fair-queues.js';
import { OVERDUE_MS, stopRun } from './kit-run.js';
import type { CommandMessage } from './messages.gen.js';
import { failed, notStarted, type Progress, progressed, type Step, statusOf } from './outcome.js';
import { logCommand, nameOf, runHandler } from './run-handler.js';

/** How often what is remembered until its deadline is looked through. */
const FORGET_MS = 10_000;
/** A queued command gives up this long before its deadline, so that the platform learns in time that it never started. */
const BEFORE_DEADLINE_MS = 2_000;
/**
 * How long a tenant or device that already fills its share of the queue may hold up fetching. After that its further
 * commands are refused.
 */
const PATIENCE_MS = 1_000;
/** One line of the log names so many. */
const MAX_NAMES = 10;

/**
 * Runs the handler: at most once for each command_id, a limited number at once, and not after the deadline. A command
 * that is delivered has a place until it is acknowledged: among the running, or among the waiting. Devices and tenants
 * share both kinds of places, so that silent ones delay their own commands and not those of others.
 */
export class CommandRunner {
  /**
   * Every command whose deadline has not passed, and every one in work. A command that is delivered after its deadline
   * is not started, so it need not be remembered.
   */
  readonly #works = new Map<string, Work>();
  readonly #queues: FairQueues<Work>;
  /** Those that run, or whose outcome is being reported. */
  readonly #busy = new Set<Work>();
  readonly #overdue = new Set<Work>();
  #wakers: (() => void)[] = [];
  #isStopping = false;
  /** They go back to NATS when reading has ended. Earlier, NATS would deliver them here again. Then it is undefined. */
  #returned: Delivery[] | undefined = [];
  readonly #givenBack = new Map<string, number>();
  #hasEnded = false;
  readonly #forgetting = setInterval(() => this.#forget(), FORGET_MS);

  constructor(private readonly options: RunnerOptions) {
    this.#queues = new FairQueues(options.concurrency, options.onePerDevice);
    this.#forgetting.unref?.();
    options.pulse.onBeat(() => this.#tick());
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
    const { held, places } = this.#queues;
    // If all were of the key that has the most, it would then have its share of those that wait, and none be refused.
    const withinShare = Math.ceil((held.free - held.most()[1]) / 2);
    return Math.min(places.free, isPatient ? withinShare : held.free);
  }

  take(delivery: Delivery): void {
    const { command } = delivery;
    const known = this.#works.get(command.command_id);
    if (known) {
      this.options.counters.repeated += 1;
      this.#log('debug', 'repeated', command, 'was delivered again');
      // The platform has said that it does not know.
      if (known.state === 'OVERDUE') return delivery.acknowledge();
      known.comes(delivery);
      // NATS may have lost the outcome. The platform handles it once.
      if (known.state === 'ENDED') void this.#report(known).then(() => this.#end(known));
      return;
    }
    const work = new Work(delivery, this.options.isShared, this.options.pulse);
    if (this.#isStopping) return this.#giveBack(work);
    this.#works.set(command.command_id, work);
    this.#wait(work);
  }

  /**
   * Gives back the commands that wait here, or in `waitFor` for their device. Resolves after reading has ended. The map
   * has each command that no process can have begun, with the number of its deliveries so far.
   */
  async giveBack(readingEnded: Promise<void> = Promise.resolve()): Promise<ReadonlyMap<string, number>> {
    this.#isStopping = true;
    for (const work of [...this.#queues]) {
      this.#leaveQueue(work);
      this.#queues.held.leave(work.keys);
      this.#giveBack(work);
    }
    for (const { run } of this.#busy) stopRun(run);
    this.#wake();
    await readingEnded;
    for (const delivery of this.#returned ?? []) delivery.giveBack();
    this.#returned = undefined;
    return this.#givenBack;
  }

  /** Resolves when everything has ended, or goes on past its deadline: that is named in one line. */
  async ended(): Promise<void> {
    while (this.#busy.size > 0) await this.#change();
    clearInterval(this.#forgetting);
    // What they tell later cannot be published.
    this.#hasEnded = true;
    for (const { ending } of this.#overdue) ending.abort('The adapter has stopped.');
    if (this.#overdue.size === 0) return;
    const names = [...this.#overdue].map(({ command }) => nameOf(command));
    const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
    const message = `Stops without the handlers that go on past their deadlines: ${names.slice(0, MAX_NAMES).join(', ')}${more}.`;
    this.options.log({ level: 'warn', event: 'overdue', message });
  }

  #giveBack(work: Work): void {
    const { command, deliveries } = work;
    this.#works.delete(command.command_id);
    // NATS would take it away from the process that has it.
    if (work.isLost) return;
    if (!deliveries.some(({ redelivered }) => redelivered)) {
      this.#givenBack.set(command.command_id, Math.max(...deliveries.map(({ count }) => count)));
    }
    for (const delivery of deliveries) {
      if (this.#returned) this.#returned.push(delivery);
      else delivery.giveBack();
    }
  }

  #wait(work: Work): void {
    const isWithinShare = this.#queues.held.mayTake(work.keys);
    this.#queues.join(work);
    this.options.counters.waiting += 1;
    const remainingMs = work.deadline - performance.now();
    if (remainingMs <= 0) return this.#refuse(work, 'NOT_STARTED');
    if (this.#queues.mayStart(work)) return this.#start(work);
    if (!isWithinShare) return this.#refuse(work, 'ADAPTER_BUSY');
    const waitMs = remainingMs - Math.min(BEFORE_DEADLINE_MS, remainingMs / 2);
    work.givingUp = setTimeout(() => this.#refuse(work, 'ADAPTER_BUSY'), waitMs);
  }

  #leaveQueue(work: Work): void {
    this.#queues.leave(work);
    clearTimeout(work.givingUp);
    this.options.counters.waiting -= 1;
  }

  /** Nothing of it begins here. NATS delivers it again, counted, unless another process has it. */
  #dropLost(): void {
    const lost = [...this.#queues].filter(({ isLost }) => isLost);
    if (lost.length === 0) return;
    for (const work of lost) {
      this.#leaveQueue(work);
      this.#queues.held.leave(work.keys);
      this.#works.delete(work.command.command_id);
    }
    this.#next();
  }

  #refuse(work: Work, code: 'ADAPTER_BUSY' | 'NOT_STARTED'): void {
    if (work.isLost) return this.#dropLost();
    const { counters, log } = this.options;
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
      const full = work.keys.findLast((key) => !this.#queues.places.mayTake([key]));
      this.#queues.warn(log, 'Commands end as ADAPTER_BUSY', full ?? work.keys[0], 'commands');
    }
    // After the deadline, the platform has said that it does not know.
    const isFirst = work.deliveries.every((delivery) => delivery.isFirst);
    const isNews = isFirst || !isLate;
    const update = notStarted(code, isFirst);
    if (isNews) work.outcome = update;
    void this.#report(work).then(() => {
      if (!isLate) counters.outcomes[statusOf(update)] += 1;
      this.#queues.held.leave(work.keys);
      this.#end(work);
    });
  }

  async #report(work: Work): Promise<void> {
    work.state = 'REPORTING';
    this.#busy.add(work);
    const { outcome } = work;
    if (outcome) await this.options.report(work, () => work.told(outcome));
  }

  #start(work: Work): void {
    if (work.isLost) return this.#dropLost();
    if (work.deadline <= performance.now()) return this.#refuse(work, 'NOT_STARTED');
    const { places, held } = this.#queues;
    this.#leaveQueue(work);
    held.leave(work.keys);
    work.redelivered = work.deliveries.some(({ redelivered }) => redelivered);
    work.state = 'RUNNING';
    this.#busy.add(work);
    places.take(work.keys);
    this.options.counters.running += 1;
    if (places.free < 1) {
      this.#queues.warn(this.options.log, `All ${places.size} places are taken`, places.most()[0], 'commands');
    }
    // Not at once: a handler must not reach this class while it decides what starts.
    const ran = Promise.resolve(work).then((started) => this.#run(started));
    void ran.finally(() => {
      if (work.state === 'RUNNING') this.#leavePlace(work);
      this.#overdue.delete(work);
      this.#end(work);
    });
  }

  #leavePlace(work: Work): void {
    this.#queues.places.leave(work.keys);
    this.options.counters.running -= 1;
  }

  /** A command that was given back has no deliveries any more, so none is acknowledged. */
  #end(work: Work): void {
    work.end();
    this.#settle(work);
  }

  #settle(work: Work): void {
    this.#busy.delete(work);
    for (const delivery of work.deliveries) delivery.acknowledge();
    work.deliveries = [];
    this.#next();
  }

  #next(): void {
    if (!this.#isStopping) this.#queues.startWaiting((first) => this.#start(first));
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
      const update = progressed(status, step);
      return report(work, () => update, reported.signal);
    };
    const started = {
      command,
      deadline: work.deadline,
      run: work.run,
      traceparent: work.traceparent,
      get redelivered() {
        const isAgain = work.redelivered || work.mayRunElsewhere;
        return isAgain || work.deliveries.some((delivery) => delivery.redelivered);
      },
    };
    const outcome = await runHandler(onCommand, started, publish, this.options.log).catch((error) => {
      // What was thrown cannot be read: a getter of it throws.
      this.#log('error', 'failed', command, 'failed', { error });
      return failed(undefined, { isDelivered: false, isOverdue: false });
    });
    if (!outcome) {
      counters.started -= 1;
      this.#giveBack(work);
      work.deliveries = [];
      return;
    }
    work.outcome = outcome;
    if (!this.#hasEnded) await report(work, () => work.told(outcome), work.ending.signal);
    // A reason of its own: otherwise Node builds an error with its stack trace.
    reported?.abort('The outcome is reported.');
    const status = statusOf(work.told(outcome));
    counters.outcomes[status] += 1;
    const lost = status === 'SUCCEEDED' ? outcome.status_reason?.message : undefined;
    const ended = lost === undefined ? `ended as ${status}` : `ended as ${status}, without its result: ${lost}`;
    this.#log(lost === undefined ? 'debug' : 'warn', 'ended', command, ended, { status });
  }

  #tick(): void {
    this.#dropLost();
    for (const { deliveries } of this.#queues) for (const delivery of deliveries) delivery.stillWorking();
    const overdueSince = performance.now() - OVERDUE_MS;
    for (const work of this.#busy) {
      // A known outcome is reported however long it takes.
      if (work.state === 'RUNNING' && !work.outcome && work.deadline <= overdueSince) this.#leaveBehind(work);
      // Sooner or later, another process has it. What waits here for its device ends.
      else if (work.isLost) work.run.wake?.();
      else for (const delivery of work.deliveries) delivery.stillWorking();
    }
  }

  /** Its handler goes on. What it tells is reported, but its device gets the next command. */
  #leaveBehind(work: Work): void {
    this.#log('warn', 'overdue', work.command, 'is past its deadline, and its outcome is still missing');
    work.state = 'OVERDUE';
    this.#overdue.add(work);
    this.#leavePlace(work);
    this.#settle(work);
  }

  #forget(): void {
    const now = performance.now();
    for (const [id, { state, deadline }] of this.#works) {
      if ((state === 'ENDED' || state === 'OVERDUE') && deadline <= now) this.#works.delete(id);
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

  #log(level: AdapterEvent['level'], event: AdapterEvent['event'], command: CommandMessage, what: string, fields = {}) {
    logCommand(this.options.log, level, event, command, what, fields);
  }
}
