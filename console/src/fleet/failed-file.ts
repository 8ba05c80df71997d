import { isSafeToRepeat, MAX_PAGE } from '@tenant-open-platform/contract/facts';
import type { Command, CommandCreate, TenantOpenPlatform } from '@tenant-open-platform/sdk';
import { failed } from '../commands/filters';

/**
 * A line of JSON for each failed command of the batch, as `topctl commands create-many` reads it. A command that its
 * device may have executed is left out. The idempotency keys derive from the old commands, as with `--resend`. So the
 * same file sent twice creates each command once.
 */
export async function failedLines({ commands }: Pick<TenantOpenPlatform, 'commands'>, batchId: string) {
  const lines: string[] = [];
  let leftOut = 0;
  const ended = commands.list({ batch_id: batchId, status: [...failed], order: 'asc', limit: MAX_PAGE });
  for await (const command of ended) {
    if (mayBeDone(command)) leftOut += 1;
    else lines.push(`${JSON.stringify(againOf(command))}\n`);
  }
  return { lines, leftOut };
}

/** `late_result` is the first late result: one of the device may follow it. */
const mayBeDone = (command: Command) =>
  command.public_status === 'UNKNOWN'
    ? !isSafeToRepeat(command)
    : command.history.some(({ source, at }) => source === 'DEVICE' && at > (command.completed_at ?? at));

const againOf = ({
  command_id,
  vendor,
  device_id,
  command_type,
  payload,
  timeout_seconds,
}: Command): CommandCreate => ({
  vendor,
  device_id,
  command_type,
  payload,
  timeout_seconds,
  idempotency_key: `again-${command_id}`,
});

export function saveFile(name: string, lines: string[]): void {
  const address = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to read it by the next task.
  setTimeout(() => URL.revokeObjectURL(address));
}
