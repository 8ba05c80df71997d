import { hash } from 'node:crypto';
import { contract } from '@tenant-open-platform/contract';
import type { Shortcut, ShortcutRequest } from '../../platform/auth/admit.js';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { canonicalJson } from '../../platform/json/canonical-json.js';
import { newIdTail } from '../../platform/new-id.js';
import { ApiError, refuse, refuseLargePayload, unavailable } from '../../platform/operation/api-error.js';
import type { Handler } from '../../platform/operation/handler.js';
import { type Signals, topics } from '../../platform/signals/signals.js';
import type { Metrics } from '../../platform/telemetry/metrics.js';
import type { CommandCatalog } from '../catalog/command-catalog.js';
import { vendorsOf } from '../vendors/refuse-unknown-vendors.js';
import {
  type Acceptance,
  createCommandAccepter,
  createCommandAdmission,
  createKeyAdmission,
  type NewCommand,
} from './accept-commands.js';
import { replayCommand } from './replay-command.js';

export type CommandRequest = Parameters<Handler<typeof contract.commands.create>>[0]['body'];

type Services = {
  database: Database;
  catalog: CommandCatalog;
  signals: Signals;
  metrics: Metrics;
  payloadLimitBytes: number;
  /** For how many seconds a new command of the tenant would wait. */
  waitSeconds: (tenantId: string) => number;
};

const DEFAULT_TIMEOUT_SECONDS = 30;
/**
 * A command that would wait longer than this share of its timeout is refused: too little time would be left for the
 * device.
 */
const LONGEST_WAIT = 1 / 4;
/** The estimate is inexact. A wait up to this long refuses no command, whatever its timeout. */
const TOLERATED_WAIT_SECONDS = 1;
const MAX_RETRY_AFTER_SECONDS = 60;
/** All attempts fail only if the catalog changes between check and insert each time. */
const MAX_CATALOG_RELOADS = 5;

export const createCommand = ({
  database,
  catalog,
  signals,
  metrics,
  payloadLimitBytes,
  waitSeconds,
}: Services): Handler<typeof contract.commands.create> => {
  const acceptCommand = createCommandAccepter(database);
  return async ({ body }, call) => {
    refuseLargePayload(payloadBytes(body), payloadLimitBytes);
    for (let reloads = 0; reloads <= MAX_CATALOG_RELOADS; reloads++) {
      const checked = catalog.check(body, call.refuse);
      if (checked instanceof ApiError) {
        // The catalog in memory may be stale: only a fresh one may refuse, and a used key takes precedence over any
        // refusal.
        if (reloads === 0) {
          await catalog.reload();
          continue;
        }
        const replay = await replayCommand(database, call, newCommand(body, 0, call.requestId));
        if (replay) return replay;
        throw checked;
      }
      const command = newCommand(body, checked.revision, call.requestId);
      const excess = excessWait(command, waitSeconds(call.tenantId));
      if (excess > 0) {
        const replay = await replayCommand(database, call, command);
        if (replay) return replay;
        metrics.countOverload();
        throw overloaded(command, excess);
      }
      const acceptance = await acceptCommand({ caller: call.caller, command });
      if (acceptance.outcome === 'ACCEPTED') {
        signals.send([topics.outbox]);
        return answer(acceptance, call.requestId);
      }
      if (acceptance.outcome === 'KEY_USED') {
        const replay = await replayCommand(database, call, command);
        if (replay) return replay;
        throw new Error('The idempotency key is used, but its command does not exist.');
      }
      const limit = await asTenant(database, call.tenantId, (tx) => vendorsOf(tx, call.tenantId));
      if (limit && !limit.includes(command.vendor)) {
        const replay = await replayCommand(database, call, command);
        if (replay) return replay;
        throw call.refuse('VENDOR_NOT_ENABLED');
      }
      await catalog.reload();
    }
    throw unavailable('The catalog is changing. Repeat the request.', 1);
  };
};

/**
 * The shortcut of nearly every command: the statement that admits the request also stores the command, which saves a
 * round trip and a commit. A refusal for overload costs one statement, too, so it does not cost more than a command. Every
 * other request is admitted first and then goes to createCommand.
 */
export function createCommandShortcut(services: Services) {
  const { database, catalog, signals, metrics, payloadLimitBytes, waitSeconds } = services;
  const admitWithCommand = createCommandAdmission(database);
  const admitWithKey = createKeyAdmission(database);

  const refuseOverload =
    (command: NewCommand, excess: number): Shortcut =>
    async (signed) => {
      const { verdict, isKeyUsed } = await admitWithKey({ signed, idempotencyKey: command.idempotency_key });
      if (isKeyUsed) return { verdict, answer: null };
      if (verdict.isFresh && verdict.isGranted) metrics.countOverload();
      return { verdict, answer: overloaded(command, excess) };
    };

  return ({ target, tenantId, requestId, body }: ShortcutRequest): Shortcut | null => {
    // The operation has no query parameters.
    if (target !== contract.commands.create.path) return null;
    const { success, data } = contract.commands.create.body.safeParse(body);
    if (!success || payloadBytes(data) > payloadLimitBytes) return null;
    const checked = catalog.check(data, refuse);
    if (checked instanceof ApiError) return null;
    const command = newCommand(data, checked.revision, requestId);
    const excess = excessWait(command, waitSeconds(tenantId));
    if (excess > 0) return refuseOverload(command, excess);
    return async (signed) => {
      const { verdict, acceptance } = await admitWithCommand({ signed, command });
      if (acceptance.outcome !== 'ACCEPTED') return { verdict, answer: null };
      signals.send([topics.outbox]);
      return { verdict, answer: answer(acceptance, requestId) };
    };
  };
}

/** By how many seconds a wait exceeds the limit of the command. */
const excessWait = (command: NewCommand, seconds: number) => seconds - longestWait(command);

const longestWait = ({ timeout_seconds }: NewCommand) =>
  Math.max(timeout_seconds * LONGEST_WAIT, TOLERATED_WAIT_SECONDS);

/** Store nothing: a command that is sure to expire does not help its caller. */
function overloaded(command: NewCommand, excess: number): ApiError {
  const { timeout_seconds } = command;
  const wait = Math.ceil(excess + longestWait(command));
  return unavailable(
    `Commands of the tenant currently wait about ${wait} seconds, and this one times out after ${timeout_seconds}. Nothing is stored. Repeat the request after Retry-After, or with a longer timeout_seconds.`,
    Math.min(Math.ceil(excess), MAX_RETRY_AFTER_SECONDS),
  );
}

const answer = ({ commandId, acceptedAt }: Acceptance & { outcome: 'ACCEPTED' }, requestId: string) => ({
  status: 202 as const,
  body: {
    command_id: commandId,
    status: 'ACCEPTED' as const,
    accepted_at: acceptedAt.toISOString(),
    request_id: requestId,
  },
});

const payloadBytes = ({ payload }: CommandRequest) => Buffer.byteLength(JSON.stringify(payload));

const newCommand = (request: CommandRequest, revision: number, requestId: string): NewCommand => ({
  idempotency_key: request.idempotency_key,
  vendor: request.vendor,
  device_id: request.device_id,
  command_type: request.command_type,
  revision,
  payload: request.payload,
  payload_sha256: hash('sha256', canonicalJson(request.payload)),
  timeout_seconds: request.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS,
  request_id: requestId,
  command_id_tail: newIdTail(),
});
