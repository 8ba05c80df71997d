import { hash } from 'node:crypto';
import type { contract } from '@tenant-open-platform/contract';
import { canonicalJson } from '@tenant-open-platform/contract/strict-json';
import { and, eq, inArray } from 'drizzle-orm';
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
import { newIdTail, newIdTails } from '../foundation/ids.js';
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

/** Why this process refuses a command, else the revision of the payload schema that it was checked against. */
type Checked = { revision: number; invalid?: undefined; overload?: undefined } | Unacceptable;
type Unacceptable = { invalid: ApiError; overload?: undefined } | { overload: ApiError; invalid?: undefined };

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
    if (checked instanceof ApiError) return { invalid: checked };
    const excess = waits.secondsFor(tenantId) - longestWait(request);
    return excess > 0 ? { overload: overloaded(request, excess) } : checked;
  }

  const payloadProblem = ({ payload }: CommandRequest) =>
    largePayload(Buffer.byteLength(JSON.stringify(payload)), payloadLimitBytes);

  const wakeRelay = (tenantId: string) => signals.send([topics.outbox(slotOf(tenantId))]);

  /**
   * For a command that the statement of the admission stores: nearly every one. `resultOf` is null if the result needs
   * more than that statement. Null for a request that `accept` must refuse or check again.
   */
  function acceptWithAdmission(request: CommandRequest, origin: Omit<Origin, 'clientId'>) {
    if (payloadProblem(request)) return null;
    const checked = check(request, origin.tenantId);
    if (checked.invalid) return null;
    return {
      command: toStore(request, checked, origin, newIdTail()),
      resultOf(stored: CommandOutcome): Accepted | ApiError | null {
        if (stored.outcome === 'ACCEPTED') {
          wakeRelay(origin.tenantId);
          return acceptedOf(stored);
        }
        if (!checked.overload || stored.outcome !== 'REFUSED') return null;
        metrics.countOverload();
        return checked.overload;
      },
    };
  }

  /** Stores checked commands of an admitted request. `batchId` belongs to commands that share one statement. */
  function store(given: GivenCommand[], caller: Origin, batchId: string | undefined) {
    const all = given.map((command) => ({ caller, command, batchId }));
    return batchId === undefined ? Promise.all(all.map(storeOne)) : repeatedly(() => storeCommands(database, all));
  }

  /** Each command is stored or refused as if the commands came in requests of their own, one after the other. */
  async function accept(requests: readonly CommandRequest[], origin: Origin, batchId?: string) {
    const results: (Accepted | ApiError | undefined)[] = requests.map(payloadProblem);
    /** The positions of the commands that this request has stored, by key. */
    const stored = new Map<string, number>();
    const idTails = newIdTails(requests.length);
    try {
      for (let reads = 0; reads <= MAX_CATALOG_READS && !results.every(Boolean); reads++) {
        const open = requests.flatMap((request, position) => (results[position] ? [] : [{ position, request }]));
        const found = reads > 0 ? await catalog.read(open.map(({ request }) => request)) : undefined;
        const attempts = open.map((each) => ({ ...each, ...check(each.request, origin.tenantId, found) }));
        // The catalog in memory may be stale: only a fresh one may refuse.
        if (reads === 0 && attempts.some(({ invalid }) => invalid)) continue;
        const given = attempts.map((each) => toStore(each.request, each, origin, idTails[each.position] as string));
        const outcomes = await store(given, origin, batchId);
        const others = attempts.flatMap((each, index) => {
          const row = outcomes[index] as CommandOutcome;
          const key = each.request.idempotency_key;
          if (row.outcome !== 'ACCEPTED') return [{ ...each, key, outcome: row.outcome }];
          results[each.position] = acceptedOf(row);
          stored.set(key, each.position);
          return [];
        });
        if (stored.size > 0) wakeRelay(origin.tenantId);
        const mayBeUsed = others.filter(({ key, outcome }) => outcome !== 'REFUSED' || stored.has(key));
        const keys = mayBeUsed.map(({ key }) => key);
        const existing = await readByKeys(database, origin.tenantId, keys);
        for (const { position, request, key, outcome, invalid, overload } of others) {
          const row = existing.get(key);
          const refusal =
            invalid ??
            overload ??
            (outcome === 'VENDOR_NOT_ENABLED' ? refuse(outcome) : undefined) ??
            (outcome === 'TENANT_AWAY' ? tenantAway('') : undefined);
          // A used key takes precedence over a refusal, but a later command of this request has not used it yet.
          if (row && !(refusal && (stored.get(key) ?? -1) > position)) {
            const { commandId, acceptedAt } = row;
            results[position] = { commandId, acceptedAt, replayed: { differing: differingFields(row, request) } };
          } else if (outcome !== 'CATALOG_CHANGED') {
            if (!refusal) throw new Error('The idempotency key is used, but its command does not exist.');
            if (overload) metrics.countOverload();
            results[position] = refusal;
          }
        }
      }
    } catch (error) {
      // The database failed after some commands were stored: these are answered, and the others can be sent again.
      if (stored.size === 0 || !codedErrorIn(error)) throw error;
    }
    return results.map((result) => result ?? unavailable('The command could not be stored now. Repeat it.', 1));
  }

  return { accept, acceptWithAdmission };
}

export type Acceptance = ReturnType<typeof createAcceptance>;

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
const toStore = (
  request: CommandRequest,
  checked: Checked,
  { requestId, traceparent }: Pick<Origin, 'requestId' | 'traceparent'>,
  idTail: string,
): GivenCommand =>
  'revision' in checked
    ? {
        idempotency_key: request.idempotency_key,
        vendor: request.vendor,
        device_id: request.device_id,
        command_type: request.command_type,
        revision: checked.revision,
        payload: request.payload,
        payload_sha256: payloadHash(request),
        timeout_seconds: timeoutOf(request),
        request_id: requestId,
        traceparent,
        command_id_tail: idTail,
      }
    : { idempotency_key: request.idempotency_key, is_refused: true };

const payloadHash = ({ payload }: CommandRequest) => hash('sha256', canonicalJson(payload));

const { commandId, acceptedAt, idempotencyKey, vendor, deviceId, commandType, payloadSha256, timeoutSeconds } =
  commands;
/** Not the payload and the result: 500 commands could have megabytes of them. */
const columns = { commandId, acceptedAt, idempotencyKey, vendor, deviceId, commandType, payloadSha256, timeoutSeconds };

type Existing = Pick<typeof commands.$inferSelect, keyof typeof columns>;

/** The commands of the tenant that have used these idempotency keys, by key. */
async function readByKeys(database: Database, tenantId: string, keys: string[]) {
  if (keys.length === 0) return new Map<string, Existing>();
  const rows = await asTenant(database, tenantId, (tx) =>
    tx
      .select(columns)
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
    existing.payloadSha256.toString('hex') !== payloadHash(request) && 'payload',
    existing.timeoutSeconds !== timeoutOf(request) && 'timeout_seconds',
  ].filter((field) => field !== false);
