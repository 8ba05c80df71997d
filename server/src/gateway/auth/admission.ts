import {
  type ErrorCode,
  type Operation,
  objectAndAction,
  PLATFORM_TENANT_ID,
  type Scope,
} from '@tenant-open-platform/contract';
import { sql } from 'drizzle-orm';
import { ApiError, notFound, refuse, tenantAway } from '../../foundation/api-error.js';
import { batched } from '../../foundation/database/batched.js';
import type { Database } from '../../foundation/database/database.js';
import { nodeClock, type Purge } from '../../foundation/database/purge-by-age.js';
import {
  asIngest,
  asTenant,
  type CommandOutcome,
  type GivenCommand,
} from '../../foundation/database/row-level-security.js';
import type { Incoming, Reply } from '../http/exchange.js';
import type { Quotas, RateLimits } from '../limits/rate-limits.js';
import type { CallOf } from '../operation/call.js';
import { type Match, pathOf, rolesThatGrant } from '../operation/find-operation.js';
import type { Authenticated } from './authenticate.js';
import type { LastUses } from './last-uses.js';

/** A request whose signature is verified, with the operation that it names. */
export type Signed = { req: Incoming; reply: Reply; sender: Authenticated; match: Match };

/** A row of server/drizzle/functions/admit_requests_v1.sql: the state of the request in the database at admission. */
type Verdict = Quotas & {
  /** Credential and tenant are active and not expired, and the secret version that verified is still valid. */
  is_live: boolean;
  is_in_clock_window: boolean;
  is_fresh: boolean;
  is_granted: boolean;
  /** Not null if a live credential's tenant moves or has moved: see tenantAway. The request consumes no nonce. */
  away: string | null;
  path_tenant_exists: boolean;
  path_tenant_away: string | null;
  allowed_clock_skew_seconds: number | null;
  /** The database's clock in Unix milliseconds: one clock for all nodes. */
  now_ms: number;
  /** The outcome is null if the request is not admitted or brings no command. */
} & (CommandOutcome | { outcome: null });

/** `command`: what the statement stores if it admits the request. */
type AdmissionRequest = { signed: Pick<Signed, 'sender' | 'match'>; command?: GivenCommand | undefined };

function toRequestRow({ signed: { sender, match }, command }: AdmissionRequest, position: number) {
  const scope = match.operation?.route.metadata.scope;
  return {
    position,
    tenant_id: sender.tenantId,
    client_id: sender.clientId,
    number: sender.credentialNumber,
    secret_version: sender.secretVersion,
    signed_at: sender.timestamp,
    nonce_hash: sender.nonceHash,
    ...(scope && { ...objectAndAction(scope), granting_roles: rolesThatGrant(scope).join() }),
    path_tenant_id: match.params.tenant_id,
    ...command,
  };
}

/**
 * One statement decides on the current state of the database for every request. A revoked, rotated, disabled or unbound
 * credential is therefore refused from the next request on, on every node.
 */
export const createAdmission = (database: Database) =>
  batched<AdmissionRequest, Verdict>(nonceKey, (requests) => asIngest(database, requests.map(toRequestRow)));

/** The primary key of the nonce that a request consumes. */
const nonceKey = ({ signed: { sender } }: AdmissionRequest) =>
  `${sender.credentialNumber.padStart(19, '0')}${sender.nonceHash}`;

const BATCH = 5_000;

/**
 * Deletes expired nonces. Rows that are locked wait for the next round. The array replaces a join: with statistics
 * from when the table was nearly empty, a join compared each nonce with each expired one.
 */
export const purgeNonces = (): Purge => ({
  table: 'nonces',
  async round(tx) {
    const { count: removed } = await tx.execute(sql`
      delete from nonces where ctid = any (array(
        select ctid from nonces
        where expires_at < least(now(), ${nodeClock()}::timestamptz) order by expires_at limit ${BATCH} for update skip locked
      ))`);
    return { removed, hasMore: removed === BATCH };
  },
});

export type Admit = ReturnType<typeof createAdmit>;

/** A command with its history and a small result. */
const BYTES_OF_AN_ITEM = 1_024;

type AdmitOptions = { database: Database; limits: RateLimits; lastUses: LastUses; changeBytesPerDay: number };

/**
 * Admits a request whose credential is live, whose timestamp and nonce are valid, and whose quota is not used up, and
 * authorizes it. The same statement stores the command that it brings. Whoever is refused learns nothing of the command.
 */
export function createAdmit({ database, limits, lastUses, changeBytesPerDay }: AdmitOptions) {
  const admission = createAdmission(database);

  /** The statement. With a place in the quotas it may store the command. */
  async function run(signed: Signed, command?: GivenCommand) {
    const { reply, sender } = signed;
    const { tenantId: tenant_id, clientId: client_id, secretVersion: version } = sender;
    const release = command ? limits.reserve(sender) : null;
    try {
      reply.locals.mayHaveChanged = release !== null;
      const row = await admission({ signed, command: release ? command : undefined });
      refuseUnlessAdmitted(sender, row);
      lastUses.note({ tenant_id, client_id, version, used_at: new Date(row.now_ms) });
      // Count after admission: a replayed request, or one signed with a revoked secret, must not use up the caller's
      // quota. A command that is stored is not refused.
      const overQuota = limits.countRequest(sender, row);
      if (overQuota && row.outcome !== 'ACCEPTED') throw overQuota;
      return row;
    } finally {
      release?.();
    }
  }

  function refuseUnlessAdmitted(sender: Authenticated, verdict: Verdict): void {
    if (!verdict.is_live && verdict.away === null) throw sender.countFailure();
    refuseOutsideWindow(verdict, sender.timestamp, database.generations.current().beganAt);
    if (verdict.away !== null) {
      // Such a request consumes no nonce, so replays could use up a quota. Those who have moved have one of their own
      // for each credential: at most its answers here become 429. While the tenant moves, its clients only wait.
      throw (verdict.away !== '' && limits.countMoved(sender, verdict)) || tenantAway(verdict.away);
    }
    if (!verdict.is_fresh) throw new ApiError('NONCE_REUSED');
  }

  function callOf({ req, reply, sender, match }: Signed, verdict: Verdict): CallOf<ErrorCode> {
    const { requestId, traceparent, address } = reply.locals;
    const { tenantId, clientId } = sender;
    const ofTenant = match.params.tenant_id ?? tenantId;
    return {
      operation: match.operation?.name ?? 'none',
      requestId,
      traceparent,
      path: pathOf(req.url).slice('/api/v1/'.length),
      caller: { tenantId, clientId },
      sourceAddress: address || null,
      tenantId: ofTenant,
      admittedAt: new Date(verdict.now_ms),
      asTenant: (work, id = ofTenant) => asTenant(database, id, work),
      onClosed: (stop) => void (reply.destroyed ? stop() : reply.once('close', stop)),
      countRequest: () => limits.countRequest(sender, verdict),
      expectItems(items) {
        reply.locals.expectedBytes = items * BYTES_OF_AN_ITEM;
        return limits.countBytes(sender, reply.locals.expectedBytes);
      },
      changeBytesPerDay,
      refuse,
    };
  }

  /** `outcome`: what became of the command; null if the statement did not get it. */
  return async function admit(signed: Signed, command?: GivenCommand) {
    const { req, reply, sender, match } = signed;
    const row = await run(signed, command);
    const call = callOf(signed, row);
    reply.locals.call = call;
    limits.countBytes(sender, sender.body.length);
    reply.once('close', () => {
      const { answerBytes = 0, expectedBytes } = reply.locals;
      limits.countBytes(sender, answerBytes, expectedBytes);
    });
    const operation = authorize(row, match, sender.tenantId);
    reply.locals.mayHaveChanged = req.method !== 'GET';
    return { operation, call, outcome: row.outcome === null ? null : (row as CommandOutcome) };
  };
}

/** The window begins with the generation of the database at the earliest: who signs again at `server_time` is inside. */
function refuseOutsideWindow(verdict: Verdict, timestamp: string, beganAt: Date): void {
  if (verdict.is_in_clock_window) return;
  const metadata = {
    server_time: new Date(Math.max(verdict.now_ms, beganAt.getTime())).toISOString(),
    allowed_clock_skew_seconds: verdict.allowed_clock_skew_seconds,
  };
  if (Number(timestamp) * 1_000 >= beganAt.getTime()) throw new ApiError('CLOCK_SKEW', { metadata });
  const signed_not_before = beganAt.toISOString();
  throw new ApiError('CLOCK_SKEW', {
    message: `The request was signed before ${signed_not_before}, when the database was restored. Sign it again.`,
    metadata: { ...metadata, signed_not_before },
  });
}

/** Returns the operation of a caller that may call it. An administrator sees where a tenant has moved, and no more. */
function authorize(verdict: Verdict, { operation, params, allow }: Match, tenantId: string): Operation {
  if (allow !== null) {
    throw new ApiError('METHOD_NOT_ALLOWED', {
      message: `The path exists, but not with this method. Use ${allow}.`,
      headers: { Allow: allow },
    });
  }
  if (!operation) throw notFound();
  const pathTenantId = params.tenant_id ?? null;
  const isOwnTenant = pathTenantId === null || pathTenantId === tenantId || tenantId === PLATFORM_TENANT_ID;
  if (!mayCall(operation, tenantId, verdict.is_granted) || !isOwnTenant) {
    throw forbidden(operation.route.metadata.scope);
  }
  // Only a platform administrator gets here with a tenant that does not exist.
  if (pathTenantId !== null && !verdict.path_tenant_exists) throw notFound();
  if (verdict.path_tenant_away !== null && operation.name !== 'tenants.get') throw tenantAway(verdict.path_tenant_away);
  return operation;
}

/** Whether a credential of the tenant may call the operation on its own tenant. */
export function mayCall({ route }: Operation, tenantId: string, isGranted: boolean): boolean {
  const { scope, tenant } = route.metadata;
  return (scope === null || isGranted) && (tenant !== 'platform' || tenantId === PLATFORM_TENANT_ID);
}

export const forbidden = (scope: Scope | null) =>
  new ApiError('FORBIDDEN', {
    message: `Authorization was denied: this needs ${scope ?? 'another credential'} in the tenant.`,
    ...(scope && { metadata: { required_scope: scope, granted_by_roles: rolesThatGrant(scope) } }),
  });
