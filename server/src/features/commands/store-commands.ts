import { hash } from 'node:crypto';
import { canonicalJson } from '@tenant-open-platform/contract/strict-json';
import { and, eq, inArray } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { codedErrorIn } from '../../platform/database/database-error.js';
import { newIdTail } from '../../platform/new-id.js';
import { ApiError, largePayload, refuse, unavailable } from '../../platform/operation/api-error.js';
import type { Call } from '../../platform/operation/call.js';
import type { Handler } from '../../platform/operation/handler.js';
import type { Waits } from '../../platform/outbox/waits.js';
import { type Signals, topics } from '../../platform/signals/signals.js';
import type { Metrics } from '../../platform/telemetry/metrics.js';
import type { CommandCatalog } from '../catalog/command-catalog.js';
import type { Acceptance, NewCommand, RefusedCommand } from './accept-commands.js';
import { commands } from './commands.table.js';

export type CommandRequest = Parameters<Handler<'commands.create'>>[0]['body'];

export type CommandServices = {
  database: Database;
  catalog: CommandCatalog;
  signals: Signals;
  metrics: Metrics;
  payloadLimitBytes: number;
  waits: Waits;
};

/** A command that is stored now, or was by an earlier request with its key; then with the fields that differ. */
export type Stored = { commandId: string; acceptedAt: Date; replayed?: { differing: string[] } };

/** Stores checked commands, and answers each in its place. */
type Accept = (commands: (NewCommand | RefusedCommand)[]) => Promise<Acceptance[]>;

/** Why this process refuses a command, else the revision of the payload schema that it was checked against. */
type Checked = { revision: number; invalid?: undefined; overload?: undefined } | Refusal;
type Refusal = { invalid: ApiError; overload?: undefined } | { overload: ApiError; invalid?: undefined };

const DEFAULT_TIMEOUT_SECONDS = 30;
/** The share of its timeout that a command may wait: otherwise too little time is left for the device. */
const LONGEST_WAIT = 1 / 4;
/** The estimate is inexact. A wait up to this long refuses no command, whatever its timeout. */
const TOLERATED_WAIT_SECONDS = 1;
const MAX_RETRY_AFTER_SECONDS = 60;
/** All attempts fail only if the catalog changes between check and insert each time. */
const MAX_CATALOG_RELOADS = 5;

/** Checks and stores the commands of a request, which may be one or many. */
export function createCommandStore({ catalog, signals, metrics, payloadLimitBytes, waits }: CommandServices) {
  function check(body: CommandRequest, tenantId: string): Checked {
    const checked = catalog.check(body, refuse);
    if (checked instanceof ApiError) return { invalid: checked };
    const excess = waits.secondsFor(tenantId) - longestWait(body);
    return excess > 0 ? { overload: overloaded(body, excess) } : checked;
  }

  const payloadProblem = ({ payload }: CommandRequest) =>
    largePayload(Buffer.byteLength(JSON.stringify(payload)), payloadLimitBytes);

  /** Each command is stored or refused as if the commands came in requests of their own, one after the other. */
  async function store(bodies: readonly CommandRequest[], call: Call, accept: Accept): Promise<(Stored | ApiError)[]> {
    const outcomes: (Stored | ApiError | undefined)[] = bodies.map(payloadProblem);
    /** The positions of the commands that this request has stored, by key. */
    const stored = new Map<string, number>();
    try {
      for (let reloads = 0; reloads <= MAX_CATALOG_RELOADS && !outcomes.every(Boolean); reloads++) {
        if (reloads > 0) await catalog.reload();
        const attempts = bodies.flatMap((body, position) =>
          outcomes[position] ? [] : [{ position, body, ...check(body, call.tenantId) }],
        );
        // The catalog in memory may be stale: only a fresh one may refuse.
        if (reloads === 0 && attempts.some(({ invalid }) => invalid)) continue;
        const acceptances = await accept(attempts.map((each) => toStore(each.body, each, call)));
        const others = attempts.flatMap((each, index) => {
          const acceptance = acceptances[index] as Acceptance;
          if (acceptance.outcome !== 'ACCEPTED')
            return [{ ...each, key: each.body.idempotency_key, outcome: acceptance.outcome }];
          outcomes[each.position] = acceptance;
          stored.set(each.body.idempotency_key, each.position);
          return [];
        });
        if (stored.size > 0) announce();
        const mayBeUsed = others.filter(({ key, outcome }) => outcome !== 'REFUSED' || stored.has(key));
        const existing = await readByKeys(call, mayBeUsed);
        for (const { position, body, key, outcome, invalid, overload } of others) {
          const row = existing.get(key);
          const refusal = invalid ?? overload ?? (outcome === 'VENDOR_NOT_ENABLED' ? refuse(outcome) : undefined);
          // A used key takes precedence over a refusal, but a later command of this request has not used it yet.
          if (row && !(refusal && (stored.get(key) ?? -1) > position)) {
            const { commandId, acceptedAt } = row;
            const differing = differingFields(row, newCommand(body, 0, call));
            outcomes[position] = { commandId, acceptedAt, replayed: { differing } };
          } else if (outcome !== 'CATALOG_CHANGED') {
            if (!refusal) throw new Error('The idempotency key is used, but its command does not exist.');
            if (overload) metrics.countOverload();
            outcomes[position] = refusal;
          }
        }
      }
    } catch (error) {
      // The database failed after some commands were stored: these are answered, and the others can be sent again.
      if (stored.size === 0 || !codedErrorIn(error)) throw error;
    }
    return outcomes.map((outcome) => outcome ?? unavailable('The command could not be stored now. Repeat it.', 1));
  }

  const announce = () => signals.send([topics.outbox]);

  return { check, payloadProblem, announce, store };
}

export type CommandStore = ReturnType<typeof createCommandStore>;

const longestWait = ({ timeout_seconds = DEFAULT_TIMEOUT_SECONDS }: CommandRequest) =>
  Math.max(timeout_seconds * LONGEST_WAIT, TOLERATED_WAIT_SECONDS);

/** Store nothing: a command that is sure to expire does not help its caller. */
function overloaded(request: CommandRequest, excess: number): ApiError {
  const wait = Math.ceil(excess + longestWait(request));
  return unavailable(
    `Commands of the tenant currently wait about ${wait} seconds, and this one times out after ${request.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS}. Nothing is stored. Repeat the request after Retry-After, or with a longer timeout_seconds.`,
    Math.min(Math.ceil(excess), MAX_RETRY_AFTER_SECONDS),
  );
}

type Origin = Pick<Call, 'requestId' | 'traceparent'>;

/** Of a refused command only its key is sent: it may be used. */
export const toStore = (request: CommandRequest, checked: Checked, call: Origin): NewCommand | RefusedCommand =>
  'revision' in checked
    ? newCommand(request, checked.revision, call)
    : { idempotency_key: request.idempotency_key, is_refused: true };

const newCommand = (request: CommandRequest, revision: number, { requestId, traceparent }: Origin): NewCommand => ({
  idempotency_key: request.idempotency_key,
  vendor: request.vendor,
  device_id: request.device_id,
  command_type: request.command_type,
  revision,
  payload: request.payload,
  payload_sha256: hash('sha256', canonicalJson(request.payload)),
  timeout_seconds: request.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS,
  request_id: requestId,
  traceparent,
  command_id_tail: newIdTail(),
});

const { commandId, acceptedAt, idempotencyKey, vendor, deviceId, commandType, payloadSha256, timeoutSeconds } =
  commands;
/** Not the payload and the result: 500 commands could have megabytes of them. */
const columns = { commandId, acceptedAt, idempotencyKey, vendor, deviceId, commandType, payloadSha256, timeoutSeconds };

type Existing = Pick<typeof commands.$inferSelect, keyof typeof columns>;

/** The commands of the tenant that have used these idempotency keys, by key. */
async function readByKeys({ tenantId, asTenant }: Call, of: { key: string }[]) {
  if (of.length === 0) return new Map<string, Existing>();
  const keys = of.map(({ key }) => key);
  const rows = await asTenant((tx) =>
    tx
      .select(columns)
      .from(commands)
      .where(and(eq(commands.tenantId, tenantId), inArray(idempotencyKey, keys))),
  );
  return new Map(rows.map((row) => [row.idempotencyKey, row]));
}

/** The fields of a request that differ from the command that its key belongs to. */
const differingFields = (existing: Existing, request: NewCommand): string[] =>
  [
    existing.vendor !== request.vendor && 'vendor',
    existing.deviceId !== request.device_id && 'device_id',
    existing.commandType !== request.command_type && 'command_type',
    existing.payloadSha256.toString('hex') !== request.payload_sha256 && 'payload',
    existing.timeoutSeconds !== request.timeout_seconds && 'timeout_seconds',
  ].filter((field) => field !== false);
