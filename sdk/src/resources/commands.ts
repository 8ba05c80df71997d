import type { Command, CommandAccepted, CommandCreate as WholeCommandCreate } from '../api.gen.js';
import type { ApiPromise } from '../core/api-promise.js';
import { outlast } from '../core/outlast.js';
import type { RequestOptions } from '../core/request-options.js';
import { CommandsResource } from '../resources.gen.js';
import { type Awaited, endOf, namingCommand, type WaitOptions, waitForCommand } from './wait-for-command.js';

/** As in the API, but the client generates a missing idempotency_key. */
export interface CommandCreate extends Omit<WholeCommandCreate, 'idempotency_key'> {
  /** 1 to 128 visible ASCII characters. Within a tenant, one key identifies one command. */
  idempotency_key?: string | undefined;
}

/** Settings of `commands.create`. */
export interface CommandCreateOptions extends RequestOptions {
  /** The idempotency_key, if the body has none. */
  idempotencyKey?: string | undefined;
}

export class Commands extends CommandsResource {
  /**
   * Sends a command to a device. ACCEPTED means that the platform stored it, not that the device executed it.
   * `timeout_seconds` is 1 to 300, 30 by default; `payload` at most 32 KiB.
   *
   * Idempotent and retried: within a tenant, one idempotency_key identifies one command. If it is absent, the client
   * generates one and keeps it for all attempts; pass your own to be safe across restarts. A used key returns the
   * existing command (header `Idempotent-Replayed: true`), or throws an `IdempotencyMismatchError` if that command
   * differs from the body. After a failure, call again with the `idempotencyKey` of the error.
   * Scope open:command:create.
   * Errors: PAYLOAD_TOO_LARGE, VENDOR_NOT_ENABLED, COMMAND_TYPE_UNKNOWN, COMMAND_PAYLOAD_INVALID.
   */
  override create(body: CommandCreate, options?: CommandCreateOptions): ApiPromise<CommandAccepted> {
    return super.create({ ...body, idempotency_key: keyOf(body, options) }, options);
  }

  /**
   * Waits until the command is final, whatever its outcome: check `status`. The wait continues through lost
   * connections, timeouts, 429 and 5xx. Every error of a wait has `commandId`.
   *
   * @throws WaitTimeoutError if the command is not final in time, with the last read record.
   * @throws WaitAbortedError if `signal` aborts the wait.
   */
  async wait(commandId: string, options: WaitOptions = {}): Promise<Command> {
    return this.#wait({ commandId }, options, endOf(options));
  }

  /**
   * Sends a command and waits until it is final: {@link create}, then {@link wait}. Both continue through outages until
   * `timeoutSeconds` have passed; only one command is created. Every error has `idempotencyKey`, and `commandId` once
   * the command was accepted.
   */
  async createAndWait(body: CommandCreate, options: WaitOptions & CommandCreateOptions = {}): Promise<Command> {
    const endsAt = endOf(options);
    const idempotencyKey = keyOf(body, options);
    const { docUrl } = this.sender;
    const create = () => this.create({ ...body, idempotency_key: idempotencyKey }, options);
    const accepted = await namingCommand({ idempotencyKey }, { ...options, docUrl }, () =>
      outlast(create, { endsAt, signal: options.signal }),
    );
    return this.#wait({ commandId: accepted.command_id, idempotencyKey }, options, endsAt);
  }

  #wait(awaited: Awaited & { commandId: string }, options: WaitOptions, endsAt: number): Promise<Command> {
    const { docUrl } = this.sender;
    return waitForCommand(this, awaited, { ...options, docUrl, deadlineMs: this.sender.deadlineMs(options) }, endsAt);
  }
}

const keyOf = (body: CommandCreate, options?: CommandCreateOptions) =>
  body.idempotency_key ?? options?.idempotencyKey ?? crypto.randomUUID();
