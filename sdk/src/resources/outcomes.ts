import { countOpen, MAX_PAGE } from '@tenant-open-platform/contract/facts';
import type { Command, CommandSummary } from '../api.gen.js';
import { outlast } from '../core/outlast.js';
import { sleep } from '../core/sleep.js';
import { isWaitTimeoutError } from '../errors.js';
import type { CommandsResource } from '../resources.gen.js';
import type { CommandResult, CreatedCommands } from './create-many.js';
import { endOf, type WaitOptions } from './wait-for-command.js';

/** Settings of `commands.outcomes`. */
export interface OutcomesOptions extends Omit<WaitOptions, 'onUpdate'> {
  /** Called about once a second with the number of commands of the batch in each status. */
  onProgress?: ((summary: CommandSummary) => void) | undefined;
}

/** An accepted command with its record. `completed_at` is null if it was not final when the wait ended. */
export type CommandOutcome = Extract<CommandResult, { error?: undefined }> & { outcome: Command };

type Reading = Pick<CommandsResource, 'summary' | 'list'> & {
  wait(commandId: string, options: WaitOptions): Promise<Command>;
};

const POLL_MS = 1_000;

/** Waits for the whole batch by counting its commands, then reads their records once. */
export async function* outcomesOf(
  commands: Reading,
  { batchId, results }: CreatedCommands,
  { onProgress, ...options }: OutcomesOptions,
): AsyncGenerator<CommandOutcome, void, undefined> {
  const endsAt = endOf(options);
  const { signal } = options;
  const secondsLeft = () => Math.max(0, (endsAt - performance.now()) / 1000);
  const awaited = new Map<string, Extract<CommandResult, { error?: undefined }>>();
  for (const result of results) if (result.accepted) awaited.set(result.accepted.command_id, result);
  if (awaited.size === 0) return;

  while (true) {
    const summary = await outlast(() => commands.summary({ batch_id: batchId }, options), { endsAt, signal });
    onProgress?.(summary);
    if (countOpen(summary.counts) === 0 || secondsLeft() === 0) break;
    await sleep(Math.min(POLL_MS, secondsLeft() * 1000), signal);
  }

  const { records } = await outlast(
    async () => {
      const records = commands.list({ batch_id: batchId, limit: MAX_PAGE }, options);
      await records;
      return { records };
    },
    { endsAt, signal },
  );
  for await (const record of records) {
    const result = awaited.get(record.command_id);
    if (!result || (!record.completed_at && secondsLeft() > 0)) continue;
    awaited.delete(record.command_id);
    yield { ...result, outcome: record };
  }
  // What is left was created by another batch, or has changed since it was counted.
  for (const [commandId, result] of awaited) {
    const outcome = await commands
      .wait(commandId, { ...options, timeoutSeconds: secondsLeft() })
      .catch((error: unknown) => {
        if (isWaitTimeoutError(error) && error.command) return error.command;
        throw error;
      });
    yield { ...result, outcome };
  }
}
