import { MAX_BATCH, MAX_BATCH_BYTES } from '@tenant-open-platform/contract/facts';
import type { CommandAccepted, CommandCreate, operations } from '../api.gen.js';
import type { Configuration } from '../configuration.js';
import type { WithResponse } from '../core/api-promise.js';
import { backOffMs, isDecided } from '../core/retry.js';
import type { Sender } from '../core/send.js';
import { sleep } from '../core/sleep.js';
import {
  ApiError,
  ConnectionError,
  type ErrorContext,
  isApiError,
  isTenantOpenPlatformError,
  isTimeoutError,
  ofCall,
  TimeoutError,
} from '../errors.js';
import type { RuntimeAbortSignal } from '../runtime.js';
import { FRAME_BYTES, invalidCommands, measure } from './create-many.js';
import { readItem } from './read-item.js';

type Created = WithResponse<CommandAccepted>;

/** A call of `commands.create`. `alone` sends its command with a request of its own. */
export interface SharingCall {
  command: CommandCreate;
  alone: () => Promise<Created>;
  signal: RuntimeAbortSignal | undefined;
}

interface Outcome {
  /** Returns the result of the call or throws its error. The call runs it, so that stack traces show the caller. */
  read(context: ErrorContext): Created | Promise<Created>;
  /** Absent if the call went alone. */
  shared?: Shared;
}

/** What the calls of a request have in common: they are sent again together, as one retry. */
interface Shared {
  /** How long they wait before that, in addition to Retry-After; Infinity if they are not sent again. */
  pauseMs?: number;
}

interface Member extends SharingCall {
  /** Whether the call waits for its outcome. */
  isOpen: boolean;
  settle(outcome: Outcome): void;
}

/** Calls that leave together. */
interface Batch {
  members: Member[];
  bytes: number;
  timer: ReturnType<typeof setTimeout>;
  /** Aborts the request when no call waits for it any more. */
  stopping: AbortController;
}

const OPERATION = 'commands.create';
type Operation = (typeof operations)[typeof OPERATION];

/** The platform may not read a larger one. The refusal is the usual one if the command is alone. */
const MAX_COMMAND_BYTES = 65_536;

/** Sends the calls of `commands.create` that begin at about the same time with one request. */
export class SharedRequests {
  readonly #sender: Sender;
  readonly #configuration: Configuration;
  readonly #operation: Operation;
  /** The batch that is being filled. */
  #batch: Batch | undefined;

  constructor(sender: Sender, configuration: Configuration, operation: Operation) {
    this.#sender = sender;
    this.#configuration = configuration;
    this.#operation = operation;
  }

  async create(call: SharingCall): Promise<Created> {
    const { command, alone, signal } = call;
    const { size, error } = measure(command);
    if (error || size > MAX_COMMAND_BYTES) return alone();
    const { docUrl, observer, settle } = this.#configuration;
    const { deadlineMs, maxRetries } = settle({});
    const endsAt = performance.now() + deadlineMs;
    const context = { operation: OPERATION, idempotencyKey: command.idempotency_key, docUrl };
    for (let retries = 0; ; retries += 1) {
      const { read, shared } = await this.#join(call, size);
      try {
        return await read({ ...context, attempts: retries + 1 });
      } catch (error) {
        if (!shared || !isTenantOpenPlatformError(error)) throw error;
        const [method, target] = this.#operation;
        const { attempts = 1, requestId = '' } = error;
        const event = { operation: OPERATION, attempt: attempts, method, target, requestId, error };
        let delayMs = Number.POSITIVE_INFINITY;
        if (isApiError(error) && !isDecided(error) && retries < maxRetries) {
          shared.pauseMs ??= this.#sender.spendRetry() ? backOffMs(retries) : delayMs;
          delayMs = shared.pauseMs + (error.retryAfterMs ?? 0);
        }
        if (performance.now() + delayMs > endsAt) {
          observer.error(event);
          throw error;
        }
        observer.retry({ ...event, delayMs });
        await sleep(delayMs, signal);
      }
    }
  }

  /** Puts a call into the batch that is being filled, or into a new one if it does not fit. */
  #join(call: SharingCall, size: number): Promise<Outcome> {
    const { signal } = call;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (this.#batch && this.#batch.bytes + size > MAX_BATCH_BYTES) this.#leave(this.#batch);
      this.#batch ??= this.#begin();
      const { members, stopping } = this.#batch;
      const close = () => {
        member.isOpen = false;
        signal?.removeEventListener('abort', abort);
      };
      const abort = () => {
        close();
        reject(signal?.reason);
        if (!members.some(({ isOpen }) => isOpen)) stopping.abort();
      };
      const settle = (outcome: Outcome) => {
        close();
        resolve(outcome);
      };
      const member = { ...call, isOpen: true, settle };
      signal?.addEventListener('abort', abort);
      this.#batch.bytes += size;
      if (members.push(member) === MAX_BATCH) this.#leave(this.#batch);
    });
  }

  #begin(): Batch {
    const timer = setTimeout(() => this.#leave(batch), this.#configuration.batchWithinMs);
    const batch: Batch = { members: [], bytes: FRAME_BYTES, timer, stopping: new AbortController() };
    return batch;
  }

  #leave(batch: Batch): void {
    clearTimeout(batch.timer);
    this.#batch = undefined;
    void this.#send(batch);
  }

  /** Settles every open call. */
  async #send(batch: Batch): Promise<void> {
    const open = batch.members.filter(({ isOpen }) => isOpen);
    if (open.length < 2) return settleAlone(open);
    const body = { commands: open.map(({ command }) => command) };
    const { signal } = batch.stopping;
    try {
      const answer = await this.#sender.call('commands.createMany', { body }, { signal }).withResponse();
      const shared = {};
      open.forEach(({ settle }, at) => {
        settle({ shared, read: (context) => readItem(answer.data.items?.[at] ?? {}, answer, context) });
      });
    } catch (error) {
      const named = isTenantOpenPlatformError(error) ? invalidCommands(error) : new Map();
      const invalid = open.filter((_, at) => named.has(at));
      const isOfOne = isApiError(error) && (error.status === 400 || error.status === 413);
      if (invalid.length === 0 && isOfOne) return settleAlone(open);
      settleAlone(invalid);
      if (invalid.length > 0) return this.#send(batch);
      // The request has been repeated already.
      const shared = { pauseMs: Number.POSITIVE_INFINITY };
      for (const { settle } of open) {
        settle({
          shared,
          read(context) {
            throw ownError(error, context);
          },
        });
      }
    }
  }
}

function settleAlone(members: Member[]): void {
  for (const { settle, alone } of members) settle({ read: alone });
}

/** The error of the shared request as the error of one call. */
function ownError(error: unknown, context: ErrorContext): unknown {
  if (!isTenantOpenPlatformError(error)) return error;
  const { requestId, docUrl, cause, attempts = 1 } = error;
  const own = { ...context, requestId, docUrl, cause, attempts: attempts + (context.attempts ?? 1) - 1 };
  if (!isApiError(error))
    return new (isTimeoutError(error) ? TimeoutError : ConnectionError)(...ofCall(error.reason, own));
  const { status, code, metadata, headers, retryAfterMs } = error;
  const details = [...error.details];
  return new ApiError(status, { code, message: error.reason, details, metadata }, { ...own, headers, retryAfterMs });
}
