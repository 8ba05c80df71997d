import type { ApiPromise } from '../core/api-promise.js';
import type { PagePromise } from '../core/page.js';
import type { RequestOptions, Sender } from '../core/send.js';
import type { Command, CommandAccepted, CommandCreate, CommandListQuery } from '../types.js';

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
   * Reads one command with its four statuses.
   *
   * Retried. Scope open:command:read. Errors: NOT_FOUND.
   */
  get(commandId: string, options?: RequestOptions): ApiPromise<Command> {
    return this.#sender.call(
      {
        name: 'commands.get',
        method: 'GET',
        path: '/api/v1/open/downlink/commands/{command_id}',
        parameters: { command_id: commandId },
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
    return this.#sender.list(
      { name: 'commands.list', method: 'GET', path: '/api/v1/open/downlink/commands', query },
      options,
    );
  }
}
