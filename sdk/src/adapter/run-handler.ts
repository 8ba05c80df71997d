import type { CommandContext, CommandHandler } from './command-handler.js';
import { isAdapterError } from './errors.js';
import type { AdapterEvent, AdapterLog } from './events.js';
import type { CommandMessage } from './messages.gen.js';
import { failed, type Progress, statusOf, succeeded, type Update } from './outcome.js';

type Run = Pick<CommandContext, 'redelivered' | 'traceparent'> & { command: CommandMessage; deadline: number };

/** Runs the handler once. Resolves to the outcome of the command; rejects only if what it threw cannot be read. */
export async function runHandler(
  onCommand: CommandHandler,
  { command, redelivered, traceparent, deadline }: Run,
  publish: (status: Progress) => Promise<void>,
  log: AdapterLog,
): Promise<Update> {
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
    return succeeded(await onCommand(command, { signal: overdue.signal, redelivered, traceparent, progress }));
  } catch (error) {
    const outcome = failed(error, { isDelivered, isOverdue: overdue.signal.aborted });
    logFailure(log, command, error, overdue.signal, `ended as ${statusOf(outcome)}`);
    return outcome;
  } finally {
    isRunning = false;
    clearTimeout(timer);
  }
}

/** An outcome of the kit is what the handler wanted: only its cause is news. A time-out needs no stack. */
function logFailure(
  log: AdapterLog,
  command: CommandMessage,
  error: unknown,
  signal: AbortSignal,
  ended: string,
): void {
  const { cause } = (error ?? {}) as { cause?: unknown };
  if (isAdapterError(error)) {
    if (cause !== undefined) logCommand(log, 'warn', 'failed', command, ended, { error: cause });
  } else if (signal.aborted && (error === signal.reason || cause === signal.reason)) {
    logCommand(log, 'warn', 'failed', command, `${ended}: there was no outcome before the deadline`);
  } else logCommand(log, signal.aborted ? 'warn' : 'error', 'failed', command, 'failed', { error });
}

export function logCommand(
  log: AdapterLog,
  level: AdapterEvent['level'],
  event: AdapterEvent['event'],
  { command_id, tenant_id, device_id, command_type }: CommandMessage,
  what: string,
  fields: object = {},
): void {
  const message = `${command_type} for ${device_id} (${command_id}) ${what}.`;
  log({ level, event, message, command_id, tenant_id, device_id, command_type, ...fields });
}
