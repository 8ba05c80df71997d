import type { CommandContext, CommandHandler } from './command-handler.js';
import { isAdapterError } from './errors.js';
import type { AdapterEvent, AdapterLog } from './events.js';
import { isGivenBack, type KitRun, kitRun } from './kit-run.js';
import type { CommandMessage } from './messages.gen.js';
import { failed, type Progress, type Step, statusOf, stepIn, succeeded, type Update } from './outcome.js';
import { Steps } from './steps.js';

type Run = Pick<CommandContext, 'redelivered' | 'traceparent'> & {
  command: CommandMessage;
  /** By the monotonic clock of this process. */
  deadline: number;
  run: KitRun;
};

/**
 * Runs the handler once. Resolves to the outcome of the command, or to undefined if it has not begun when the process
 * stops; rejects only if what it threw cannot be read.
 */
export async function runHandler(
  onCommand: CommandHandler,
  started: Run,
  publish: (status: Progress, step?: Step) => Promise<void>,
  log: AdapterLog,
): Promise<Update | undefined> {
  const { command, traceparent, deadline, run } = started;
  const remainingMs = () => Math.max(0, deadline - performance.now());
  const overdue = new AbortController();
  const timer = setTimeout(
    () => overdue.abort(new DOMException('The deadline of the command has passed.', 'TimeoutError')),
    remainingMs(),
  );
  let isDelivered = false;
  let isRunning = true;
  const steps = new Steps((step) => publish('IN_PROGRESS', step));
  const progress = async (said: Progress | Step) => {
    isDelivered = true;
    run.isBegun = true;
    if (!isRunning) return;
    if (typeof said === 'string') return publish(said);
    const step = stepIn(said);
    if (step) return steps.tell(step);
    const what = `told a step that is none: ${String(said?.step)} of ${String(said?.of)}`;
    logCommand(log, 'warn', 'invalid', command, what);
    return publish('IN_PROGRESS');
  };
  const runOnce = async (): Promise<Update | undefined> => {
    try {
      const context: CommandContext & { [kitRun]: KitRun } = {
        [kitRun]: run,
        signal: overdue.signal,
        get remainingMs() {
          return remainingMs();
        },
        get redelivered() {
          return started.redelivered;
        },
        traceparent,
        progress,
      };
      return succeeded(await onCommand(command, context));
    } catch (error) {
      if (!run.isBegun && isGivenBack(error)) return undefined;
      const outcome = failed(error, { isDelivered, isOverdue: overdue.signal.aborted });
      logFailure(log, command, error, overdue.signal, `ended as ${statusOf(outcome)}`);
      return outcome;
    } finally {
      isRunning = false;
      clearTimeout(timer);
      steps.end();
    }
  };
  const outcome = await runOnce();
  return outcome && steps.last ? { ...outcome, progress: steps.last } : outcome;
}

/** An outcome of the kit is what the handler wanted: only its cause is news. A time-out needs no stack, nor what it caused. */
function logFailure(
  log: AdapterLog,
  command: CommandMessage,
  error: unknown,
  signal: AbortSignal,
  ended: string,
): void {
  const { cause } = (error ?? {}) as { cause?: unknown };
  if (isAdapterError(error) && (cause === undefined || !signal.aborted)) {
    if (cause !== undefined) logCommand(log, 'warn', 'failed', command, ended, { error: cause });
  } else if (signal.aborted && (isAdapterError(error) || error === signal.reason || cause === signal.reason)) {
    logCommand(log, 'warn', 'failed', command, `${ended}: there was no outcome before the deadline`);
  } else logCommand(log, signal.aborted ? 'warn' : 'error', 'failed', command, 'failed', { error });
}

export const nameOf = ({ command_type, device_id, command_id }: CommandMessage) =>
  `${command_type} for ${device_id} (${command_id})`;

export function logCommand(
  log: AdapterLog,
  level: AdapterEvent['level'],
  event: AdapterEvent['event'],
  command: CommandMessage,
  what: string,
  fields: object = {},
): void {
  const { command_id, tenant_id, device_id, command_type } = command;
  const message = `${nameOf(command)} ${what}.`;
  log({ level, event, message, command_id, tenant_id, device_id, command_type, ...fields });
}
