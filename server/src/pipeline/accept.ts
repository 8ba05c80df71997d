import type { contract } from '@tenant-open-platform/contract';
import { canonicalJson } from '@tenant-open-platform/contract/strict-json';
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { z } from 'zod';
import { ApiError, largePayload, refuse, tenantAway, unavailable } from '../foundation/api-error.js';
import { batched, repeatedly } from '../foundation/database/batched.js';
import type { Database } from '../foundation/database/database.js';
import { codedErrorIn } from '../foundation/database/database-error.js';
import {
  asIngest,
  asTenant,
  type CommandOutcome,
  type GivenCommand,
} from '../foundation/database/row-level-security.js';
import { newIdTails } from '../foundation/ids.js';
import { type Signals, topics } from '../foundation/signals/signals.js';
import { slotOf } from '../foundation/slots.js';
import type { Metrics } from '../foundation/telemetry/metrics.js';
import type { Waits } from './backlog.js';
import type { CommandCatalog, Found } from './catalog.js';
import { commands } from './tables.js';

/** The body of commands.create. */
export type CommandRequest = z.infer<typeof contract.commands.create.body>;

/** Who sends commands, by which request. */
export type Origin = { tenantId: string; clientId: string; requestId: string; traceparent?: string | undefined };

/** A command that is stored now, or was by an earlier request with its key; then with the fields that differ. */
export type Accepted = { commandId: string; acceptedAt: Date; replayed?: { differing: string[] } };

export type AcceptanceServices = {
  database: Database;
  catalog: CommandCatalog;
  signals: Signals;
  metrics: Metrics;
  payloadLimitBytes: number;
  waits: Waits;
};

/** What becomes of a command of a request. */
export type Result = Accepted | ApiError;

/** The revision of the payload schema that a command was checked against, or why this process refuses it. */
type Checked = { as: 'VALID'; revision: number } | { as: 'INVALID' | 'OVERLOADED'; refusal: ApiError };

/** A command of a request, at its position. It is open until it has a result. */
type Item = { position: number; request: CommandRequest; idTail: string; result: Result | null };

export type Attempt = Item & { checked: Checked };

/** The commands of a request, and the positions of those that it has stored, by key. */
type Batch = { origin: Origin; batchId: string | undefined; items: Item[]; stored: Map<string, number> };

const DEFAULT_TIMEOUT_SECONDS = 30;
/** The share of its timeout that a command may wait: otherwise too little time is left for the device. */
const LONGEST_WAIT = 1 / 4;
/** The estimate is inexact. A wait up to this long refuses no command, whatever its timeout. */
const TOLERATED_WAIT_SECONDS = 1;
const MAX_RETRY_AFTER_SECONDS = 60;
/** All attempts fail only if the catalog changes between check and insert each time. */
const MAX_CATALOG_READS = 5;

/**
 * Checks commands and stores them. A used idempotency key stores nothing: the existing command is the result. More than
 * one statement is needed only if a command is refused, its key is used, or the catalog has changed.
 */
export function createAcceptance(services: AcceptanceServices) {
  const { database, catalog, signals, metrics, payloadLimitBytes, waits } = services;
  const storeOne = createCommandAccepter(database);

  function check(request: CommandRequest, tenantId: string, found?: Found): Checked {
    const checked = catalog.check(request, refuse, found);
    if (checked instanceof ApiError) return { as: 'INVALID', refusal: checked };
    const excess = waits.secondsFor(tenantId) - longestWait(request);
    if (excess > 0) return { as: 'OVERLOADED', refusal: overloaded(request, excess) };
    return { as: 'VALID', revision: checked.revision };
  }

  const openOf = ({ items }: Batch) => items.filter(({ result }) => !result);

  const checkOpen = (batch: Batch, found?: Found): Attempt[] =>
    openOf(batch).map((item) => Object.assign(item, { checked: check(item.request, batch.origin.tenantId, found) }));

  /**
   * Checks the commands of a request, and stores nothing yet. The catalog in memory may be stale: there are no attempts if
   * it refuses a command, because only a fresh one may.
   */
  function begin(requests: readonly CommandRequest[], origin: Origin, batchId?: string) {
    const idTails = newIdTails(requests.length);
    const items = requests.map((request, position) => {
      const problem = largePayload(Buffer.byteLength(JSON.stringify(request.payload)), payloadLimitBytes);
      return { position, request, idTail: idTails[position] as string, result: problem ?? null };
    });
    const batch: Batch = { origin, batchId, items, stored: new Map() };
    const attempts = checkOpen(batch);
    return { batch, attempts: attempts.some(({ checked }) => checked.as === 'INVALID') ? [] : attempts };
  }

  /** Commands that share one statement have a `batchId`. */
  function store({ origin, batchId }: Batch, attempts: Attempt[]): Promise<CommandOutcome[]> {
    const all = attempts.map((attempt) => ({ caller: origin, command: toStore(attempt, origin), batchId }));
    return batchId === undefined ? Promise.all(all.map(storeOne)) : repeatedly(() => storeCommands(database, all));
  }

  /** Gives attempts their results by the outcomes of a statement. What must be checked again stays open. */
  async function settle({ origin: { tenantId }, stored }: Batch, attempts: Attempt[], outcomes: CommandOutcome[]) {
    const others: { attempt: Attempt; key: string; outcome: NotStored }[] = [];
    for (const [index, attempt] of attempts.entries()) {
      const key = attempt.request.idempotency_key;
      const row = outcomes[index] as CommandOutcome;
      if (row.outcome !== 'ACCEPTED') others.push({ attempt, key, outcome: row.outcome });
      else {
        attempt.result = acceptedOf(row);
        stored.set(key, attempt.position);
      }
    }
    if (stored.size > 0) signals.send([topics.outbox(slotOf(tenantId))]);
    if (others.length === 0) return;
    const mayBeUsed = others.filter(({ key, outcome }) => outcome !== 'REFUSED' || stored.has(key));
    const existing = await readByKeys(
      database,
      tenantId,
      mayBeUsed.map(({ attempt }) => attempt.request),
    );
    for (const { attempt, key, outcome } of others) {
      attempt.result = decide(attempt, outcome, existing.get(key), stored.get(key));
      const { checked, result } = attempt;
      if (checked.as === 'OVERLOADED' && result === checked.refusal) metrics.countOverload();
    }
  }

  /**
   * Each command is stored or refused as if the commands came in requests of their own, one after the other. `outcomes`:
   * the statement of the admission has stored the attempts.
   */
  async function finish({ batch, attempts: first }: Begun, outcomes?: CommandOutcome[] | null): Promise<Result[]> {
    try {
      if (first.length > 0) await settle(batch, first, outcomes ?? (await store(batch, first)));
      for (let reads = 1; reads <= MAX_CATALOG_READS; reads++) {
        const open = openOf(batch);
        if (open.length === 0) break;
        const attempts = checkOpen(batch, await catalog.read(open.map(({ request }) => request)));
        await settle(batch, attempts, await store(batch, attempts));
      }
    } catch (error) {
      // The database failed after some commands were stored: these are answered, and the others can be sent again.
      if (batch.stored.size === 0 || !codedErrorIn(error)) throw error;
    }
    return batch.items.map(({ result }) => result ?? unavailable('The command could not be stored now. Repeat it.', 1));
  }

  /** The command of a request with one command, if it may be stored. */
  const commandOf = ({ batch, attempts: [first] }: Begun) => first && toStore(first, batch.origin);

  return { begin, commandOf, finish };
}

type Begun = { batch: Batch; attempts: Attempt[] };

export type Acceptance = ReturnType<typeof createAcceptance>;

type NotStored = Exclude<CommandOutcome['outcome'], 'ACCEPTED'>;

/**
 * The result of a command that a statement has not stored; null if it must be checked again. `existing` has its key, and was stored by the command at
 * `storedAt` of this request or, without it, by an earlier request.
 */
export function decide(
  { checked, position, request }: Attempt,
  outcome: NotStored,
  existing?: Existing,
  storedAt?: number,
): Result | null {
  const refusal = checked.as === 'VALID' ? refusalOf(outcome) : checked.refusal;
  // A used key takes precedence over a refusal, but a later command of this request has not used it yet.
  if (existing && !(refusal && storedAt !== undefined && storedAt > position)) {
    const { commandId, acceptedAt } = existing;
    return { commandId, acceptedAt, replayed: { differing: differingFields(existing, request) } };
  }
  if (outcome === 'CATALOG_CHANGED') return null;
  if (!refusal) throw new Error('The idempotency key is used, but its command does not exist.');
  return refusal;
}

function refusalOf(outcome: NotStored): ApiError | null {
  if (outcome === 'VENDOR_NOT_ENABLED') return refuse(outcome);
  return outcome === 'TENANT_AWAY' ? tenantAway('') : null;
}

type StoredTogether = { caller: Pick<Origin, 'tenantId' | 'clientId'>; command: GivenCommand; batchId?: string };

/** Stores commands of admitted requests in one statement. Of several commands with one key the first is stored. */
function storeCommands(database: Database, given: readonly StoredTogether[]) {
  const rows = given.map(({ caller: { tenantId, clientId }, command, batchId }, position) => {
    return { position, tenant_id: tenantId, client_id: clientId, ...command, batch_id: batchId };
  });
  return asIngest<CommandOutcome>(database, rows, true);
}

/** Stores the command of an admitted request. All waiting commands share one statement. */
export const createCommandAccepter = (database: Database) =>
  batched<StoredTogether, CommandOutcome>(
    ({ caller, command }) => `${caller.tenantId} ${command.idempotency_key}`,
    (given) => storeCommands(database, given),
  );

const acceptedOf = ({ command_id, accepted_ms }: CommandOutcome & { outcome: 'ACCEPTED' }): Accepted => ({
  commandId: command_id,
  acceptedAt: new Date(accepted_ms),
});

const timeoutOf = ({ timeout_seconds }: CommandRequest) => timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS;

const longestWait = (request: CommandRequest) => Math.max(timeoutOf(request) * LONGEST_WAIT, TOLERATED_WAIT_SECONDS);

/** Store nothing: a command that is sure to expire does not help its caller. */
function overloaded(request: CommandRequest, excess: number): ApiError {
  const wait = Math.ceil(excess + longestWait(request));
  return unavailable(
    `Commands of the tenant currently wait about ${wait} seconds, and this one times out after ${timeoutOf(request)}. Nothing is stored. Repeat the request after Retry-After, or with a longer timeout_seconds.`,
    Math.min(Math.ceil(excess), MAX_RETRY_AFTER_SECONDS),
  );
}

/** Of a refused command only its key is sent: it may be used. */
const toStore = ({ request, checked, idTail }: Attempt, { requestId, traceparent }: Origin): GivenCommand =>
  checked.as === 'VALID'
    ? {
        idempotency_key: request.idempotency_key,
        vendor: request.vendor,
        device_id: request.device_id,
        command_type: request.command_type,
        revision: checked.revision,
        payload: request.payload,
        timeout_seconds: timeoutOf(request),
        request_id: requestId,
        traceparent,
        command_id_tail: idTail,
      }
    : { idempotency_key: request.idempotency_key, is_refused: true };

const { commandId, acceptedAt, idempotencyKey, vendor, deviceId, commandType, payload, timeoutSeconds } = commands;
const columns = { commandId, acceptedAt, idempotencyKey, vendor, deviceId, commandType, timeoutSeconds };

/** `payload` is null if it is longer or shorter than that of the request. */
export type Existing = Pick<typeof commands.$inferSelect, keyof typeof columns> & { payload: object | null };

/** The commands of the tenant that have used the idempotency keys of these requests, by key. */
async function readByKeys(database: Database, tenantId: string, requests: readonly CommandRequest[]) {
  if (requests.length === 0) return new Map<string, Existing>();
  const keys = requests.map(({ idempotency_key }) => idempotency_key);
  // 500 commands could have megabytes of payloads. The order of members, which may differ, changes no length.
  const lengths: Record<string, number[]> = Object.fromEntries(keys.map((key) => [key, []]));
  for (const request of requests)
    lengths[request.idempotency_key]?.push(Buffer.byteLength(JSON.stringify(request.payload)));
  const isAsLong = sql`${JSON.stringify(lengths)}::text::jsonb -> ${idempotencyKey} @> to_jsonb(octet_length(${payload}::text))`;
  const rows = await asTenant(database, tenantId, (tx) =>
    tx
      .select({ ...columns, payload: sql<object | null>`case when ${isAsLong} then ${payload} end`.mapWith(payload) })
      .from(commands)
      .where(and(eq(commands.tenantId, tenantId), inArray(idempotencyKey, keys))),
  );
  return new Map(rows.map((row) => [row.idempotencyKey, row]));
}

/** The fields of a request that differ from the command that its key belongs to. */
const differingFields = (existing: Existing, request: CommandRequest): string[] =>
  [
    existing.vendor !== request.vendor && 'vendor',
    existing.deviceId !== request.device_id && 'device_id',
    existing.commandType !== request.command_type && 'command_type',
    canonicalJson(existing.payload) !== canonicalJson(request.payload) && 'payload',
    existing.timeoutSeconds !== timeoutOf(request) && 'timeout_seconds',
  ].filter((field) => field !== false);
