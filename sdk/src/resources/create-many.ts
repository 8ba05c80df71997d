import { MAX_BATCH, MAX_BATCH_BYTES } from '@tenant-open-platform/contract/facts';
import type { CommandAccepted, CommandBatch, CommandCreate } from '../api.gen.js';
import type { WithResponse } from '../core/api-promise.js';
import { mayPass, outlast } from '../core/outlast.js';
import type { RequestOptions } from '../core/request-options.js';
import { backOffMs } from '../core/retry.js';
import { serializeBody } from '../core/serialize-body.js';
import { sleep } from '../core/sleep.js';
import {
  type AnyTenantOpenPlatformError,
  ApiError,
  InvalidArgumentError,
  isApiError,
  isInvalidArgumentError,
  isTenantOpenPlatformError,
} from '../errors.js';
import { type Item, readItem } from './read-item.js';

/** Settings of `commands.createMany`. The settings of a call apply to each of its requests. */
export interface CreateManyOptions extends RequestOptions {
  /** The batch_id of all commands, a UUID. Default: a new one. */
  batchId?: string | undefined;
  /** How long a command is sent again through outages, overload and used-up quotas, in seconds. Default: 330. */
  timeoutSeconds?: number | undefined;
  /** Called with each result, in the order of the commands. Errors that it throws end the call. */
  onResult?: ((result: CommandResult) => void) | undefined;
}

/** A command that the platform has accepted, now or by an earlier request with its idempotency_key. */
export interface AcceptedCommand extends CommandAccepted {
  /** Whether the idempotency_key was used before: nothing new was created. */
  idempotent_replayed: boolean;
}

/** What the platform answered to one command: it is accepted, or there is an error. */
export type CommandResult = {
  /** The position of the command, from 0. */
  index: number;
  /** The command as it was sent, with its idempotency_key. Send it again, unchanged, after an error that may pass. */
  command: CommandCreate;
} & ({ accepted: AcceptedCommand; error?: undefined } | { accepted?: undefined; error: AnyTenantOpenPlatformError });

/** The result of `commands.createMany`. */
export interface CreatedCommands {
  batchId: string;
  /** One for each command, in their order. */
  results: CommandResult[];
}

export type Commands<Command> = Iterable<Command> | AsyncIterable<Command>;

type Sending = Pick<CreateManyOptions, 'signal' | 'onResult'> & {
  timeoutSeconds: number;
  docUrl: string;
  send: (commands: CommandCreate[]) => Promise<WithResponse<CommandBatch>>;
};

/** A command to send, or the error of one that JSON cannot represent. */
type Entry = { command: CommandCreate; error?: InvalidArgumentError };

type Outcome = AcceptedCommand | AnyTenantOpenPlatformError;

const OPERATION = 'commands.createMany';
/** The body around the commands. */
export const FRAME_BYTES = 100;

/** Sends the commands in as many requests as they need, one after the other. */
export async function createMany(commands: Commands<CommandCreate>, sending: Sending): Promise<CommandResult[]> {
  const results: CommandResult[] = [];
  const settle = (command: CommandCreate, outcome: Outcome) => {
    const settled = outcome instanceof Error ? { error: outcome } : { accepted: outcome };
    const result: CommandResult = { index: results.length, command, ...settled };
    results.push(result);
    sending.onResult?.(result);
  };
  /** The refusal of a request that every other request would get, too. */
  let end: AnyTenantOpenPlatformError | undefined;
  for await (const chunk of chunksOf(commands)) {
    const refusal = end;
    if (refusal) for (const { command, error } of chunk) settle(command, error ?? refusal);
    else end = await sendChunk(chunk, settle, { ...sending, isFirst: results.length === 0 });
  }
  return results;
}

/** Sends the commands of a request until each is accepted or refused, or the time is over. */
async function sendChunk(
  chunk: Entry[],
  settle: (command: CommandCreate, outcome: Outcome) => void,
  { send, signal, timeoutSeconds, docUrl, isFirst }: Sending & { isFirst: boolean },
): Promise<AnyTenantOpenPlatformError | undefined> {
  const endsAt = performance.now() + timeoutSeconds * 1000;
  const outcomes: (Outcome | undefined)[] = chunk.map(({ error }) => error);
  let open = [...chunk.keys()].filter((position) => !outcomes[position]);
  let settled = 0;
  const settleUntil = (position: number) => {
    for (; settled < position; settled += 1) {
      settle((chunk[settled] as Entry).command, outcomes[settled] as Outcome);
    }
  };
  let end: AnyTenantOpenPlatformError | undefined;
  for (let retry = 0; open.length > 0; retry += 1) {
    let delayMs = backOffMs(retry);
    const asked = open;
    try {
      const sent = asked.map((position) => (chunk[position] as Entry).command);
      const answer = await outlast(() => send(sent), { endsAt, signal });
      asked.forEach((position, at) => {
        outcomes[position] = outcomeOf(answer.data.items?.[at] ?? {}, answer, docUrl);
      });
      open = asked.filter((position) => mayPass(outcomes[position]));
      for (const position of open) {
        const { retryAfterMs = 0 } = outcomes[position] as ApiError;
        delayMs = Math.max(delayMs, backOffMs(retry, retryAfterMs));
      }
    } catch (error) {
      if (!isTenantOpenPlatformError(error)) throw error;
      const invalid = invalidCommands(error);
      const isOfAll = invalid.size === 0 && !isApiError(error, 'PAYLOAD_TOO_LARGE');
      if (isOfAll && isFirst && retry === 0 && !mayPass(error)) throw error;
      open = invalid.size > 0 ? asked.filter((_, at) => !invalid.has(at)) : [];
      asked.forEach((position, at) => {
        if (invalid.size === 0 || invalid.has(at)) outcomes[position] = invalid.get(at) ?? error;
      });
      if (invalid.size > 0) delayMs = 0;
      if (isOfAll) end = error;
    }
    const hasAnswers = open.every((position) => outcomes[position]);
    if (hasAnswers && performance.now() + delayMs > endsAt) break;
    settleUntil(open[0] ?? chunk.length);
    if (open.length > 0) await sleep(delayMs, signal);
  }
  settleUntil(chunk.length);
  return end;
}

function outcomeOf(item: Partial<Item>, answer: WithResponse<CommandBatch>, docUrl: string): Outcome {
  const { idempotency_key: idempotencyKey, idempotent_replayed = false } = item;
  try {
    return { ...readItem(item, answer, { operation: OPERATION, idempotencyKey, docUrl }).data, idempotent_replayed };
  } catch (error) {
    return error as AnyTenantOpenPlatformError;
  }
}

const LOCATION = /^body\/commands\/(\d+)(?=\/|$)/;

/** The commands that a request was refused for, by their positions: the others can be sent without them. */
export function invalidCommands(error: AnyTenantOpenPlatformError): Map<number, ApiError> {
  const details = new Map<number, ApiError['details'][number][]>();
  if (!isApiError(error, 'VALIDATION_FAILED') && !isApiError(error, 'MALFORMED_JSON')) return new Map();
  for (const detail of error.details) {
    const [, position] = LOCATION.exec(detail.location) ?? [];
    if (position === undefined) continue;
    const own = { ...detail, location: detail.location.replace(LOCATION, 'body') };
    details.set(Number(position), [...(details.get(Number(position)) ?? []), own]);
  }
  return new Map(
    [...details].map(([position, own]) => {
      const problems = own.map(({ location, message }) => `${location} ${message}`).join('; ');
      const { code, status, operation, requestId, docUrl } = error;
      const body = { code, message: `The command is not valid: ${problems}.`, details: own };
      return [position, new ApiError(status, body, { operation, requestId, docUrl })];
    }),
  );
}

async function* chunksOf(commands: Commands<CommandCreate>): AsyncGenerator<Entry[], void, undefined> {
  let chunk: Entry[] = [];
  let bytes = FRAME_BYTES;
  for await (const command of commands) {
    const { size, error } = measure(command);
    if (chunk.length === MAX_BATCH || (chunk.length > 0 && bytes + size > MAX_BATCH_BYTES)) {
      yield chunk;
      chunk = [];
      bytes = FRAME_BYTES;
    }
    chunk.push({ command, ...(error && { error }) });
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

/** The bytes of a command with its comma. */
export function measure(command: CommandCreate): { size: number; error?: InvalidArgumentError } {
  try {
    return { size: new TextEncoder().encode(serializeBody(command)).length + 1 };
  } catch (error) {
    // JSON.stringify itself refuses a cycle and a BigInt.
    return { size: 0, error: isInvalidArgumentError(error) ? error : new InvalidArgumentError(String(error)) };
  }
}
