import { isUndecided } from '@tenant-open-platform/contract/facts';
import {
  type CommandCreate,
  type CommandResult,
  isApiError,
  isConnectionError,
  isTimeoutError,
  type TenantOpenPlatform,
} from '@tenant-open-platform/sdk';
import type { Payload } from './payload-text';

/** What the reader filled in. */
export type Draft = {
  vendor: string;
  commandType: string;
  devices: string[];
  timeoutSeconds: number;
  payload: Payload;
};

type Keyed = CommandCreate & { idempotency_key: string };

/** Commands with their keys: sent again, they create nothing twice. `batchId` is null for a single one. */
export type Attempt = { batchId: string | null; commands: Keyed[] };

export function attemptOf({ vendor, commandType, devices, timeoutSeconds, payload }: Draft): Attempt {
  const commands = devices.map((device_id) => ({
    vendor,
    device_id,
    command_type: commandType,
    payload,
    timeout_seconds: timeoutSeconds,
    idempotency_key: crypto.randomUUID(),
  }));
  return { batchId: commands.length > 1 ? crypto.randomUUID() : null, commands };
}

/** More would not be read by anybody. */
const SHOWN_WHOLE = 20;
const SHOWN_OF_MORE = 2;

/** The body of the request, and how many commands like those in it follow. */
export function bodyOf({ batchId, commands }: Attempt): { body: unknown; more: number } {
  if (batchId === null) return { body: commands[0], more: 0 };
  const shown = commands.length > SHOWN_WHOLE ? SHOWN_OF_MORE : commands.length;
  return { body: { batch_id: batchId, commands: commands.slice(0, shown) }, more: commands.length - shown };
}

/** How long to wait for an outage to end. The reader sees the page all that time. */
const PATIENCE_SECONDS = 10;

/** Rejects if a single command is not accepted, or if the platform refuses a batch as a whole. */
export async function send(
  client: TenantOpenPlatform,
  { batchId, commands: [first, ...others] }: Attempt,
  onResult: (result: CommandResult) => void,
): Promise<{ commandId: string } | { results: CommandResult[] }> {
  if (!first) throw new Error('There is no command.');
  if (batchId === null) {
    const accepted = await client.commands.create(first, { deadlineMs: PATIENCE_SECONDS * 1_000 });
    return { commandId: accepted.command_id };
  }
  const options = { batchId, onResult, timeoutSeconds: PATIENCE_SECONDS };
  return client.commands.createMany([first, ...others], options);
}

/** The platform may have accepted the command, or may accept it later: with the same key it is safe to repeat. */
export function isOpen(error: unknown): boolean {
  if (isConnectionError(error) || isTimeoutError(error)) return true;
  return isApiError(error) && isUndecided(error.status, error.code);
}

/** An answer of the platform itself says that it has stored nothing. */
export const isUnknown = (error: unknown): boolean => isOpen(error) && !isApiError(error, 'RATE_LIMITED');
