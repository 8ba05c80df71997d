import { objectAndAction, PLATFORM_TENANT_ID, type Scope } from '@tenant-open-platform/contract';
import { sql } from 'drizzle-orm';
import { ApiError, notFound, tenantAway } from '../../foundation/api-error.js';
import { batched } from '../../foundation/database/batched.js';
import type { Database } from '../../foundation/database/database.js';
import { nodeClock, type Purge } from '../../foundation/database/purge-by-age.js';
import {
  asAllTenantsStatement,
  asIngest,
  type CommandOutcome,
  type GivenCommand,
} from '../../foundation/database/row-level-security.js';
import type { Answer, Reply } from '../http/exchange.js';
import type { Quotas, RateLimits } from '../limits/rate-limits.js';
import type { Call } from '../operation/call.js';
import { type GatedOperation, type Match, rolesThatGrant } from '../operation/find-operation.js';
import type { Authenticated } from './authenticate.js';
import type { LastUses } from './last-uses.js';

/** A request with a verified signature, before admission. */
export type SignedRequest = Omit<Authenticated, 'body' | 'countFailure'> & {
  /** The scope that the operation needs, and the built-in roles that grant it. */
  scope: Scope | null;
  grantingRoles: readonly string[];
  pathTenantId: string | null;
};

/** A row of admit_requests_v2 (server/drizzle): the state of the request in the database at admission. */
export type Verdict = Quotas & {
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
};

const toRequestRow = (signed: SignedRequest, position: number) => ({
  position,
  tenant_id: signed.tenantId,
  client_id: signed.clientId,
  number: signed.credentialNumber,
  secret_version: signed.secretVersion,
  signed_at: signed.timestamp,
  nonce_hash: signed.nonceHash,
  ...(signed.scope && objectAndAction(signed.scope)),
  granting_roles: signed.grantingRoles.join(),
  path_tenant_id: signed.pathTenantId,
});

/** The outcome is null if the request is not admitted or brings no command. */
type AdmissionRow = Verdict & (CommandOutcome | { outcome: null });

/**
 * Admission: one statement decides on the current state of the database for every request. A revoked, rotated, disabled
 * or unbound credential is therefore refused from the next request on, on every node. If the request is admitted, the
 * statement also stores the command that it brings.
 */
export function createAdmission(database: Database) {
  const admit = batched<{ signed: SignedRequest; command: GivenCommand | undefined }, AdmissionRow>(
    ({ signed }) => nonceKey(signed),
    (requests) => {
      const rows = requests.map(({ signed, command }, at) => Object.assign(toRequestRow(signed, at), command));
      return asIngest(database, rows);
    },
  );
  return (signed: SignedRequest, command?: GivenCommand) => admit({ signed, command });
}

/** The primary key of the nonce that a request consumes. */
const nonceKey = ({ credentialNumber, nonceHash }: SignedRequest) =>
  `${credentialNumber.padStart(19, '0')}${nonceHash}`;

const BATCH = 5_000;

/**
 * Deletes expired nonces. A node skips rows that another node is deleting. The array replaces a join: with statistics
 * from when the table was nearly empty, a join compared each nonce with each expired one.
 */
export const purgeNonces = (database: Database): Purge => ({
  table: 'nonces',
  async round() {
    const { count: removed } = await asAllTenantsStatement(
      database,
      sql`
      delete from nonces where ctid = any (array(
        select ctid from nonces
        where expires_at < least(now(), ${nodeClock()}::timestamptz) order by expires_at limit ${BATCH} for update skip locked
      ))`,
    );
    return { removed, hasMore: removed === BATCH };
  },
});

/** The input of a shortcut, before the request is admitted. */
export type ShortcutRequest = Pick<Call, 'tenantId' | 'requestId' | 'traceparent'> & { target: string; body: unknown };

/**
 * A command that the statement of the admission stores. `answerOf` makes the answer of its outcome; null: the handler
 * answers. A caller without permission gets no answer here.
 */
export type Shortcut = { command: GivenCommand; answerOf(stored: CommandOutcome): Answer | ApiError | null };

/** Admits authentic requests: the credential is live, timestamp and nonce are valid, and the quota is not used up. */
export function createAdmit(database: Database, limits: RateLimits, lastUses: LastUses) {
  const admission = createAdmission(database);
  return async function admit(sender: Authenticated, match: Match, shortcut: Shortcut | null, locals: Reply['locals']) {
    const { operation, params } = match;
    const { tenantId, clientId, credentialNumber, secretVersion, timestamp, nonceHash } = sender;
    const signed: SignedRequest = {
      tenantId,
      clientId,
      credentialNumber,
      secretVersion,
      timestamp,
      nonceHash,
      scope: operation?.scope ?? null,
      grantingRoles: operation?.grantingRoles ?? [],
      pathTenantId: params.tenant_id ?? null,
    };
    const release = shortcut && limits.reserve(sender);
    try {
      // With a slot the statement may store the command.
      locals.mayHaveChanged = release !== null;
      const verdict = await admission(signed, release ? shortcut?.command : undefined);
      const answer = verdict.outcome === null ? null : (shortcut?.answerOf(verdict) ?? null);
      if (!verdict.is_live && verdict.away === null) throw sender.countFailure();
      refuseOutsideWindow(verdict, sender.timestamp, database.generations.current().beganAt);
      if (verdict.away !== null) {
        // Such a request consumes no nonce, so replays could use up a quota. Those who have moved have one of their own
        // for each credential: at most its answers here become 429. While the tenant moves, its clients only wait.
        throw (verdict.away !== '' && limits.countMoved(sender, verdict)) || tenantAway(verdict.away);
      }
      if (!verdict.is_fresh) throw new ApiError('NONCE_REUSED');
      lastUses.note({ tenantId, clientId, secretVersion, usedAt: new Date(verdict.now_ms) });
      // Count after admission: a replayed request, or one signed with a revoked secret, must not use up the caller's
      // quota.
      const overQuota = limits.countRequest(sender, verdict);
      if (overQuota && !answer) throw overQuota;
      return { verdict, answer };
    } finally {
      release?.();
    }
  };
}

/**
 * Refuses a request whose timestamp is outside the clock window. The window begins with the generation of the database at
 * the earliest: who signs again at `server_time` is inside.
 */
function refuseOutsideWindow(verdict: Verdict, timestamp: string, beganAt: Date): void {
  if (!verdict.is_in_clock_window) {
    const isOfEarlierGeneration = Number(timestamp) * 1_000 < beganAt.getTime();
    throw new ApiError('CLOCK_SKEW', {
      ...(isOfEarlierGeneration && {
        message: `The request was signed before ${beganAt.toISOString()}, when the database was restored. Sign it again.`,
      }),
      metadata: {
        server_time: new Date(Math.max(verdict.now_ms, beganAt.getTime())).toISOString(),
        allowed_clock_skew_seconds: verdict.allowed_clock_skew_seconds,
        ...(isOfEarlierGeneration && { signed_not_before: beganAt.toISOString() }),
      },
    });
  }
}

/** Returns the operation of a caller that may call it. An administrator sees where a tenant has moved, and no more. */
export function authorize(verdict: Verdict, { operation, params, allow }: Match, tenantId: string): GatedOperation {
  if (allow !== null) {
    throw new ApiError('METHOD_NOT_ALLOWED', {
      message: `The path exists, but not with this method. Use ${allow}.`,
      headers: { Allow: allow },
    });
  }
  if (!operation) throw notFound();
  const pathTenantId = params.tenant_id ?? null;
  const isOwnTenant = pathTenantId === null || pathTenantId === tenantId || tenantId === PLATFORM_TENANT_ID;
  if (!mayCall(operation, tenantId, verdict.is_granted) || !isOwnTenant) throw forbidden(operation.scope);
  // Only a platform administrator gets here with a tenant that does not exist.
  if (pathTenantId !== null && !verdict.path_tenant_exists) throw notFound();
  if (verdict.path_tenant_away !== null && operation.name !== 'tenants.get') throw tenantAway(verdict.path_tenant_away);
  return operation;
}

/** Whether a credential of the tenant may call the operation on its own tenant. */
export const mayCall = ({ scope, onlyTenant }: GatedOperation, tenantId: string, isGranted: boolean): boolean =>
  (scope === null || isGranted) && (onlyTenant === null || onlyTenant === tenantId);

export const forbidden = (scope: Scope | null) =>
  new ApiError('FORBIDDEN', {
    message: `Authorization was denied: this needs ${scope ?? 'another credential'} in the tenant.`,
    ...(scope && { metadata: { required_scope: scope, granted_by_roles: rolesThatGrant(scope) } }),
  });
