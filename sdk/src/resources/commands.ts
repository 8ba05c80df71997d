import type { ApiPromise } from '../core/api-promise.js';
import type { PagePromise } from '../core/page.js';
import type { RequestOptions, Sender } from '../core/send.js';
import { WaitTimeoutError } from '../errors.js';
import type { Command, CommandAccepted, CommandCreate, CommandGetQuery, CommandListQuery } from '../types.js';

/** Settings of a wait; those of a call hold for each of its requests. */
export interface WaitOptions extends RequestOptions {
  /** How long to wait for the outcome, in seconds. Default: 330, longer than any command takes. */
  timeoutSeconds?: number | undefined;
}

/** Commands to devices. */
export class Commands {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Sends a command to a device: the platform accepts and persists it, which does not mean that the device executed it.
   * `timeout_seconds` is 1 to 300, 30 by default; `payload` at most 32 KiB.
   *
   * Idempotent and retried: within a tenant one idempotency_key is one command, for ever. Where it is absent the client
   * makes one and keeps it over all attempts; pass your own to be safe over restarts. A used key returns the existing
   * command (header `Idempotent-Replayed: true`), and throws an `IdempotencyMismatchError` where that differs from the
   * body. After a failure, call again with the `idempotencyKey` of the error.
   * Scope open:command:create. Errors: VENDOR_NOT_ENABLED, COMMAND_TYPE_UNKNOWN, COMMAND_PAYLOAD_INVALID,
   * PAYLOAD_TOO_LARGE.
   */
  create(body: CommandCreate, options?: RequestOptions): ApiPromise<CommandAccepted> {
    const idempotencyKey = body.idempotency_key ?? crypto.randomUUID();
    return this.#sender.call(
      {
        name: 'commands.create',
        method: 'POST',
        path: '/api/v1/open/downlink/commands',
        body: { ...body, idempotency_key: idempotencyKey },
        idempotencyKey,
      },
      options,
    );
  }

  /**
   * Reads one command with its four statuses. With `wait_seconds`, 0 to 30, it answers as soon as the command is final;
   * with `seen_updated_at` too, as soon as it differs from the record of that `updated_at`.
   *
   * Retried. Scope open:command:read. Errors: NOT_FOUND.
   */
  get(commandId: string, query?: CommandGetQuery, options?: RequestOptions): ApiPromise<Command> {
    return this.#sender.call(
      {
        name: 'commands.get',
        path: '/api/v1/open/downlink/commands/{command_id}',
        parameters: [commandId],
        query,
      },
      options,
    );
  }

  /**
   * Lists the commands of the tenant, newest first. `accepted_after` is inclusive, `accepted_before` exclusive; both are
   * RFC 3339 with seconds and `Z` or an offset. `limit` is the size of a page: 1 to 500, 100 by default.
   *
   * Retried. Scope open:command:read. Errors: VALIDATION_FAILED, INVALID_CURSOR.
   */
  list(query?: CommandListQuery, options?: RequestOptions): PagePromise<Command> {
    return this.#sender.list({ name: 'commands.list', path: '/api/v1/open/downlink/commands', query }, options);
  }

  /**
   * Takes back a command that was not handed to the adapter yet. One that is canceled already answers the same.
   *
   * Retried. Scope open:command:cancel. Errors: NOT_FOUND, COMMAND_NOT_CANCELABLE.
   */
  cancel(commandId: string, options?: RequestOptions): ApiPromise<Command> {
    return this.#sender.call(
      {
        name: 'commands.cancel',
        method: 'POST',
        path: '/api/v1/open/downlink/commands/{command_id}/cancel',
        parameters: [commandId],
      },
      options,
    );
  }

  /**
   * Waits until the command is final, whatever its outcome: look at `status`.
   *
   * @throws WaitTimeoutError with the record as it was read last, where the command is not final in time.
   */
  async wait(commandId: string, options: WaitOptions = {}): Promise<Command> {
    const endsAt = performance.now() + (options.timeoutSeconds ?? 330) * 1000;
    while (true) {
      const wait_seconds = Math.max(0, Math.min(30, Math.ceil((endsAt - performance.now()) / 1000)));
      const command = await this.get(commandId, { wait_seconds }, options);
      if (command.completed_at) return command;
      if (performance.now() >= endsAt) throw new WaitTimeoutError(command);
    }
  }

  /**
   * Sends a command and waits until it is final: {@link create}, then {@link wait}. To be able to repeat it safely after
   * a failure, pass your own idempotency_key.
   */
  async createAndWait(body: CommandCreate, options?: WaitOptions): Promise<Command> {
    const { command_id } = await this.create(body, options);
    return this.wait(command_id, options);
  }
}
