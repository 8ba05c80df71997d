import type { RuntimeAbortSignal } from '../runtime.js';
import type { CommandMessage } from './messages.gen.js';
import type { Progress, Step } from './outcome.js';

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
   * Milliseconds until the deadline, by the clock of NATS. Use it instead of `deadline_at` and the clock of this machine,
   * which may be wrong.
   */
  readonly remainingMs: number;
  /**
   * True if an earlier run of the command may have begun, here before a restart or in another process: NATS or the
   * platform has sent it before, or NATS had stored it before this process began to read, or before its last reconnect.
   * Ask the device before it acts twice. It can become true while the handler waits: another process may get the command
   * while this one has lost NATS.
   */
  readonly redelivered: boolean;
  /**
   * The `traceparent` of W3C Trace Context, if the command belongs to a trace. The updates of the command have it too.
   */
  readonly traceparent: string | undefined;
  /** The name of the bus of the command, if the adapter has several `buses`: two may have the same tenant and device. */
  readonly bus?: string | undefined;
  /**
   * Tells the platform that the device has the command (`DELIVERED`) or executes it (`IN_PROGRESS`). A step such as
   * `{ step: 3, of: 10 }` also says how far it is: whole numbers with 0 ≤ step ≤ of ≤ 1,000,000,000. Call it as often as you
   * like: the kit sends the last step once a second, and the outcome with the last step of all. Resolves when NATS has
   * stored what was sent. Never rejects. You do not have to await it.
   */
  progress(status: Progress | Step): Promise<void>;
}

/**
 * Carries out a command. What it returns is the result of the device: the command ends as SUCCEEDED. If it throws a
 * `Rejected`, `Failed`, `Unreachable`, `Unsupported` or `OutcomeUnknown`, the command ends accordingly. `Rejected` is an
 * outcome of the device if the handler has called `progress`, otherwise of the adapter. Any other error is logged, and
 * the outcome is unknown: the command ends as TIMED_OUT with the code ADAPTER_ERROR. The tenant does not see the error.
 */
export type CommandHandler<P extends Payloads = Record<string, Record<string, unknown>>> = (
  command: CommandOf<P>,
  context: CommandContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler may return nothing.
) => Promise<object | void>;

export interface AdapterCounters {
  /** Handlers that run now, or whose outcome NATS has not acknowledged yet. */
  running: number;
  /** Commands that wait for earlier commands of their device or tenant. */
  waiting: number;
  /** Handler runs so far. */
  started: number;
  /** Acknowledged outcomes so far, by status. UNREACHABLE includes commands with the code ADAPTER_BUSY. */
  outcomes: Record<'SUCCEEDED' | 'FAILED' | 'REJECTED' | 'UNREACHABLE' | 'UNSUPPORTED' | 'TIMED_OUT', number>;
  /** Deliveries of a command that this process had already taken: its handler did not run again. A known outcome is reported again. */
  repeated: number;
  /** Commands that were not started, because their deadline had passed. If no earlier run may have begun, this is reported. */
  expired: number;
  /** Attempts to publish an update or a device request that were repeated. */
  retried: number;
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
