import {
  type Command,
  type CommandAccepted,
  type CommandSummary,
  type CommandSummaryQuery,
  operations,
  type CommandCreate as WholeCommandCreate,
} from '../api.gen.js';
import type { Configuration } from '../configuration.js';
import { type ApiPromise, apiPromise, type WithResponse } from '../core/api-promise.js';
import { outlast } from '../core/outlast.js';
import type { RequestOptions } from '../core/request-options.js';
import { resourceClass } from '../core/resource-class.js';
import type { Sender } from '../core/send.js';
import type { CommandsResource } from '../resources.gen.js';
import type { CreatedCommands, CreateManyOptions, Commands as Many } from './create-many.js';
import type { CommandOutcome, OutcomesOptions } from './outcomes.js';
import type { SharedRequests, SharingCall } from './shared-requests.js';
import {
  type Awaited,
  DEFAULT_SECONDS,
  endOf,
  namingCommand,
  type WaitOptions,
  waitForCommand,
} from './wait-for-command.js';

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

export class Commands extends resourceClass<CommandsResource>('commands') {
  readonly #sender: Sender;
  readonly #configuration: Configuration;
  #shared: Promise<SharedRequests> | undefined;

  /** @internal */
  constructor(sender: Sender, configuration: Configuration) {
    super(sender);
    this.#sender = sender;
    this.#configuration = configuration;
  }

  /**
   * Sends a command to a device. ACCEPTED means that the platform stored it, not that the device executed it.
   * `timeout_seconds` is 1 to 300, 30 by default; `payload` at most 32 KiB.
   *
   * Idempotent and retried: within a tenant, one idempotency_key identifies one command. If it is absent, the client
   * generates one and keeps it for all attempts; pass your own to be safe across restarts. A used key returns the
   * existing command (header `Idempotent-Replayed: true`), or throws an `IdempotencyMismatchError` if that command
   * differs from the body. After a failure, call again with the `idempotencyKey` of the error.
   *
   * With `batch` of the client, calls share a request, except for those with options other than `signal` and
   * `idempotencyKey`. An abort ends its own call only.
   * Scope open:command:create.
   * Errors: PAYLOAD_TOO_LARGE, VENDOR_NOT_ENABLED, COMMAND_TYPE_UNKNOWN, COMMAND_PAYLOAD_INVALID.
   */
  override create(body: CommandCreate, options: CommandCreateOptions = {}): ApiPromise<CommandAccepted> {
    const command = { ...body, idempotency_key: keyOf(body, options) };
    const alone = () => super.create(command, options);
    const { timeoutMs, deadlineMs, maxRetries, headers, requestId } = options;
    const isOwn = (timeoutMs ?? deadlineMs ?? maxRetries ?? headers ?? requestId) !== undefined;
    if (isOwn || this.#configuration.batchWithinMs === undefined) return alone();
    return apiPromise(this.#share({ command, alone: () => alone().withResponse(), signal: options.signal }));
  }

  async #share(call: SharingCall): Promise<WithResponse<CommandAccepted>> {
    this.#shared ??= import('./many-commands.js').then(
      ({ SharedRequests }) => new SharedRequests(this.#sender, this.#configuration, operations['commands.create']),
    );
    return (await this.#shared).create(call);
  }

  /**
   * Sends any number of commands: 500 in a request, up to 1 MiB. Each is accepted or refused separately; read its
   * `error`. Commands that were refused for a used-up quota or overload, and requests that failed by an outage, are
   * sent again until `timeoutSeconds` have passed. When a later request is refused as a whole, the commands after it
   * get the same error and are not sent.
   *
   * An absent idempotency_key is generated, and is in `command` of the result. Pass your own, and your own `batchId`,
   * to be safe across restarts. {@link outcomes} waits for the devices.
   *
   * Rejects if the first request is refused as a whole, for example with FORBIDDEN; nothing is stored then. Also
   * rejects if `signal` aborts it, and if reading the commands fails.
   * Scope open:command:create.
   */
  async createMany(commands: Many<CommandCreate>, options: CreateManyOptions = {}): Promise<CreatedCommands> {
    const { batchId = crypto.randomUUID(), timeoutSeconds = DEFAULT_SECONDS, signal, onResult } = options;
    const { createMany } = await import('./many-commands.js');
    const results = await createMany(withKeys(commands), {
      signal,
      onResult,
      timeoutSeconds,
      docUrl: this.#sender.docUrl,
      send: (sent) =>
        this.#sender
          .call('commands.createMany', { body: { batch_id: batchId, commands: sent } }, options)
          .withResponse(),
    });
    return { batchId, results };
  }

  /**
   * Waits until the accepted commands of {@link createMany} are final, and yields each with its record, in no
   * particular order. It counts the batch once a second, and reads the records when no command is under way. After
   * `timeoutSeconds` it yields the others as they are: their `completed_at` is null.
   *
   * ```ts
   * const created = await client.commands.createMany(commands);
   * for await (const { command, outcome } of client.commands.outcomes(created)) {
   *   if (outcome.status !== 'SUCCEEDED') console.log(command.device_id, outcome.status);
   * }
   * ```
   *
   * Scope open:command:read.
   */
  async *outcomes(
    created: CreatedCommands,
    options: OutcomesOptions = {},
  ): AsyncGenerator<CommandOutcome, void, undefined> {
    const { outcomesOf } = await import('./many-commands.js');
    yield* outcomesOf(this, created, options);
  }

  /**
   * Counts the commands of a batch or of a time range by their status; with `group_by` also by vendor, adapter status or
   * reason. It sends a request for every 10,000 commands and adds their counts. Each answer has its own 20 most frequent
   * reasons, so some commands with a reason may count as `other_reasons`.
   *
   * Retried.
   * Scope open:command:read.
   */
  override summary(query?: CommandSummaryQuery, options?: RequestOptions): ApiPromise<CommandSummary> {
    return apiPromise(this.#summarize(query, options));
  }

  async #summarize(query: CommandSummaryQuery = {}, options?: RequestOptions): Promise<WithResponse<CommandSummary>> {
    let sum: CommandSummary | undefined;
    for (let { older_than } = query; ; ) {
      const answer = await super.summary({ ...query, older_than }, options).withResponse();
      sum = sum ? (await import('./many-commands.js')).addSummaries(sum, answer.data) : answer.data;
      if (!sum.next_older_than) return { ...answer, data: sum };
      older_than = sum.next_older_than;
    }
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
    const { docUrl } = this.#sender;
    const create = () => this.create({ ...body, idempotency_key: idempotencyKey }, options);
    const accepted = await namingCommand({ idempotencyKey }, { ...options, docUrl }, () =>
      outlast(create, { endsAt, signal: options.signal }),
    );
    return this.#wait({ commandId: accepted.command_id, idempotencyKey }, options, endsAt);
  }

  #wait(awaited: Awaited & { commandId: string }, options: WaitOptions, endsAt: number): Promise<Command> {
    const { docUrl } = this.#sender;
    return waitForCommand(this, awaited, { ...options, docUrl, deadlineMs: this.#sender.deadlineMs(options) }, endsAt);
  }
}

async function* withKeys(commands: Many<CommandCreate>): AsyncGenerator<WholeCommandCreate, void, undefined> {
  for await (const command of commands) yield { ...command, idempotency_key: keyOf(command) };
}

const keyOf = (body: CommandCreate, options?: CommandCreateOptions) =>
  body.idempotency_key ?? options?.idempotencyKey ?? crypto.randomUUID();
