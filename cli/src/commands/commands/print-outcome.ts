import type { Command, TenantOpenPlatform } from '@tenant-open-platform/sdk';
import { UnsuccessfulError } from '../../errors.js';
import type { Invocation } from '../../invocation.js';
import { commandView } from '../../views.js';

/** Waits for a command and prints its record; fails unless it succeeded. */
export async function printOutcome(
  invocation: Invocation,
  client: TenantOpenPlatform,
  commandId: string,
  waitSeconds?: number,
): Promise<void> {
  const { isWaitTimeoutError } = await import('@tenant-open-platform/sdk');
  const command = await client.commands.wait(commandId, { timeoutSeconds: waitSeconds }).catch((error: unknown) => {
    if (isWaitTimeoutError(error)) return error.command;
    throw error;
  });
  await invocation.printItem(command, commandView);
  if (command.status !== 'SUCCEEDED') throw new UnsuccessfulError(explain(command));
}

function explain({ command_id, status, completed_at, status_reason }: Command): string {
  if (completed_at === null) return `${status} is not final; to wait on: topctl commands wait ${command_id}`;
  return `the command ended as ${status}${status_reason ? `: ${status_reason.message} (${status_reason.code})` : ''}`;
}
