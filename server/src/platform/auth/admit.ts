import type { Database } from '../database/database.js';
import type { Answer, Reply } from '../http/exchange.js';
import { ApiError } from '../operation/api-error.js';
import type { Call } from '../operation/call.js';
import type { Match } from '../operation/find-operation.js';
import { createAdmission, type SignedRequest, type Verdict } from './admission.js';
import type { Authenticated } from './authenticate.js';
import type { LastUses } from './last-uses.js';
import type { RateLimits } from './rate-limits.js';

/** The input of a shortcut, before the request is admitted. */
export type ShortcutRequest = Pick<Call, 'tenantId' | 'requestId' | 'traceparent'> & { target: string; body: unknown };

/**
 * Admits a request and answers it, in one statement. If the answer is null, the handler answers. A caller without
 * permission gets no answer here.
 */
export type Shortcut = (signed: SignedRequest) => Promise<{ verdict: Verdict; answer: Answer | ApiError | null }>;

/** Admits authentic requests: the credential is live, timestamp and nonce are valid, and the quota is not used up. */
export function createAdmit(database: Database, limits: RateLimits, lastUses: LastUses) {
  const admission = createAdmission(database);
  return async function admit(
    sender: Authenticated,
    match: Match,
    shortcut: Shortcut | null,
    context: Reply['locals'],
  ) {
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
      context.mayHaveChanged = release !== null;
      const { verdict, answer } =
        shortcut && release ? await shortcut(signed) : { verdict: await admission(signed), answer: null };
      if (!verdict.is_live) throw sender.refusal();
      refuseUnlessFresh(verdict);
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

/** Refuses a request of a live credential if its timestamp is outside the clock window or its nonce was used before. */
function refuseUnlessFresh(verdict: Verdict): void {
  if (!verdict.is_in_clock_window) {
    throw new ApiError('CLOCK_SKEW', {
      metadata: {
        server_time: new Date(verdict.now_ms).toISOString(),
        allowed_clock_skew_seconds: verdict.allowed_clock_skew_seconds,
      },
    });
  }
  if (!verdict.is_fresh) throw new ApiError('NONCE_REUSED');
}
