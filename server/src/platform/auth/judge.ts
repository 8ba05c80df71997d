import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { ApiError, notFound } from '../http/api-error.js';
import type { Match } from '../http/find-operation.js';
import type { Verdict } from './admission.js';

/** One refusal for every reason: whoever guesses learns nothing but the string that the platform would sign. */
export const unauthenticated = (stringToSign: string) =>
  new ApiError('UNAUTHENTICATED', { metadata: { string_to_sign: stringToSign } });

/** Refuses a live credential's request that is out of its time, or was received before. */
export function refuseUnlessFresh(verdict: Verdict): void {
  if (!verdict.isInClockWindow) {
    throw new ApiError('CLOCK_SKEW', {
      metadata: {
        server_time: verdict.now.toISOString(),
        allowed_clock_skew_seconds: verdict.allowedClockSkewSeconds,
      },
    });
  }
  if (!verdict.isFresh) throw new ApiError('NONCE_REUSED');
}

/** Refuses what the caller may not do, or nobody can. */
export function refuseUnlessPermitted(verdict: Verdict, match: Match, tenantId: string): void {
  if (match.found === 'nothing') throw notFound();
  if (match.found === 'path') {
    throw new ApiError('METHOD_NOT_ALLOWED', {
      message: `The path exists, but not with this method. Use ${match.allow}.`,
      headers: { Allow: match.allow },
    });
  }
  const { scope, onlyTenant } = match.operation;
  const isOwnTenant = match.pathTenantId === null || match.pathTenantId === tenantId || tenantId === PLATFORM_TENANT_ID;
  const mayCall = (scope === null || verdict.isGranted) && (onlyTenant === null || onlyTenant === tenantId);
  if (!mayCall || !isOwnTenant) throw forbidden(scope);
  // Only a platform administrator comes here with a tenant that does not exist.
  if (match.pathTenantId !== null && !verdict.pathTenantExists) throw notFound();
}

export const forbidden = (scope: string | null) =>
  new ApiError('FORBIDDEN', {
    message: `Authorization was denied: this needs ${scope ?? 'another credential'} in the tenant.`,
    ...(scope && { metadata: { required_scope: scope } }),
  });
