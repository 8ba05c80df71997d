import type { Delivery, Reported } from './command-delivery.js';
import { type Keys, keysOf } from './fair-queues.js';
import { type KitRun, newRun } from './kit-run.js';
import type { CommandMessage } from './messages.gen.js';
import { besideAnother, type Update } from './outcome.js';
import type { Pulse } from './pulse.js';

/** A command that was delivered here. */
export class Work implements Reported {
  command: CommandMessage;
  readonly keys: Keys;
  readonly traceparent: string | undefined;
  /** By the monotonic clock of this process. */
  readonly deadline: number;
  readonly run: KitRun = newRun(() => this.isLost);
  redelivered = false;
  /** Those that are not acknowledged yet. */
  deliveries: Delivery[] = [];
  /**
   * REPORTING: no handler runs, and the outcome is being reported. OVERDUE: the handler runs past the deadline, and has
   * lost its place.
   */
  state: 'WAITING' | 'RUNNING' | 'REPORTING' | 'OVERDUE' | 'ENDED' = 'WAITING';
  outcome?: Update;
  /** Ends the publishing of the outcome. One for each: Node warns of eleven listeners. */
  readonly ending = new AbortController();
  givingUp?: ReturnType<typeof setTimeout> | undefined;
  /** The freezes of the process before its first delivery, and before its last. */
  #freezesBefore: number;
  #freezesBeforeLast = 0;

  constructor(
    delivery: Delivery,
    isShared: boolean,
    private readonly pulse: Pulse,
  ) {
    const { command, leftMs, traceparent } = delivery;
    this.command = command;
    this.keys = keysOf(command.tenant_id, command.device_id, isShared);
    this.traceparent = traceparent;
    this.deadline = performance.now() + leftMs;
    this.#freezesBefore = pulse.freezes;
    this.comes(delivery);
  }

  comes(delivery: Delivery): void {
    this.deliveries.push(delivery);
    // The outcome that was reported does not change.
    if (this.state === 'ENDED') this.#freezesBefore = this.pulse.freezes;
    this.#freezesBeforeLast = this.pulse.freezes;
  }

  /** The process was frozen since it came: NATS has given it to another one, or delivers it here again. */
  get isLost(): boolean {
    return this.#freezesBeforeLast !== this.pulse.freezes;
  }

  /** Another process may have begun it since it came. */
  get mayRunElsewhere(): boolean {
    return this.#freezesBefore !== this.pulse.freezes;
  }

  /** What is to be told now. */
  told(outcome: Update): Update {
    return this.mayRunElsewhere ? besideAnother(outcome) : outcome;
  }

  end(): void {
    this.state = 'ENDED';
    if (this.outcome) this.outcome = this.told(this.outcome);
    // What is remembered until the deadline has the outcome instead.
    this.command = { ...this.command, payload: {} };
  }
}
