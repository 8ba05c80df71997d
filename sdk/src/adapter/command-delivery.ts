import type { RuntimeAbortSignal } from '../runtime.js';
import type { AdapterCounters, CommandHandler } from './command-handler.js';
import type { AdapterLog } from './events.js';
import type { CommandMessage } from './messages.gen.js';
import type { Update } from './outcome.js';
import type { Pulse } from './pulse.js';

/** A message of a command: from NATS, or from a test. */
export interface Delivery {
  readonly command: CommandMessage;
  /** Milliseconds until its deadline, when it came. */
  readonly leftMs: number;
  /** How often NATS has delivered it, as far as NATS knows. */
  readonly count: number;
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
  pulse: Pulse;
  /** Publishes an update until it is acknowledged, or until the signal gives up. Asks for it at each attempt. Never rejects. */
  report(work: Reported, update: () => Update, signal?: RuntimeAbortSignal): Promise<void>;
}

/** The command of an update, and its trace. */
export interface Reported {
  readonly command: CommandMessage;
  readonly traceparent: string | undefined;
}
