import type { Command } from '../api.gen.js';
import { mayPass, outlast } from '../core/outlast.js';
import type { RequestOptions } from '../core/request-options.js';
import { isTenantOpenPlatformError, WaitAbortedError, WaitTimeoutError } from '../errors.js';
import type { CommandsResource } from '../resources.gen.js';

/** Settings of a wait. The settings of a call apply to each of its requests. */
export interface WaitOptions extends RequestOptions {
  /** How long to wait for the outcome, in seconds. Default: 330, longer than any command takes. */
  timeoutSeconds?: number | undefined;
  /**
   * Called with the command in each state that the client sees, including the final one. Errors that it throws are
   * ignored.
   */
  onUpdate?: ((command: Command) => void) | undefined;
}

export const DEFAULT_SECONDS = 330;
const LONGEST_POLL_SECONDS = 30;
/** How long the last request may take beyond the end of the wait. */
const GRACE_MS = 5_000;

/** The command of a wait, as far as it is known. Every error of the wait carries it. */
export interface Awaited {
  commandId?: string | undefined;
  idempotencyKey?: string | undefined;
}

type NamedOptions = { signal?: WaitOptions['signal']; docUrl: string };

export const endOf = ({ timeoutSeconds = DEFAULT_SECONDS }: WaitOptions) => performance.now() + timeoutSeconds * 1000;

/** Runs a part of a wait. Its errors name the command, including an abort. */
export async function namingCommand<T>(
  awaited: Awaited,
  { signal, docUrl }: NamedOptions,
  part: () => Promise<T>,
): Promise<T> {
  try {
    return await part();
  } catch (error) {
    if (isTenantOpenPlatformError(error)) throw Object.assign(error, awaited);
    if (signal?.aborted) throw new WaitAbortedError({ ...awaited, docUrl, cause: error });
    throw error;
  }
}

/** Reads the command until it is final or `endsAt` has passed. It continues through outages. */
export function waitForCommand(
  commands: Pick<CommandsResource, 'get'>,
  awaited: Awaited & { commandId: string },
  options: WaitOptions & NamedOptions & { deadlineMs: number },
  endsAt: number,
): Promise<Command> {
  const { onUpdate, signal, docUrl } = options;
  let command: Command | undefined;

  const read = () => {
    const leftMs = Math.max(0, endsAt - performance.now());
    const isFirstLook = onUpdate !== undefined && command === undefined;
    const wait_seconds = isFirstLook ? 0 : Math.min(LONGEST_POLL_SECONDS, Math.ceil(leftMs / 1000));
    const seen = onUpdate && command && { seen_updated_at: command.updated_at };
    const deadlineMs = Math.min(options.deadlineMs, leftMs - wait_seconds * 1000 + GRACE_MS);
    return commands.get(awaited.commandId, { wait_seconds, ...seen }, { ...options, deadlineMs });
  };

  return namingCommand(awaited, options, async () => {
    while (true) {
      try {
        const current = await outlast(read, { endsAt, signal });
        if (current.updated_at !== command?.updated_at) tell(onUpdate, current);
        command = current;
      } catch (cause) {
        throw mayPass(cause) ? new WaitTimeoutError({ ...awaited, docUrl, command, cause }) : cause;
      }
      if (command.completed_at) return command;
      if (performance.now() >= endsAt) throw new WaitTimeoutError({ ...awaited, docUrl, command });
    }
  });
}

function tell(onUpdate: WaitOptions['onUpdate'], command: Command): void {
  try {
    onUpdate?.(command);
  } catch {}
}
