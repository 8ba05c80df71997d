import { PLATFORM_TENANT_ID, type Scope } from '@tenant-open-platform/contract';
import { ApiError, notFound } from '../operation/api-error.js';
import { type Match, type Operation, rolesThatGrant } from '../operation/find-operation.js';
import type { Verdict } from './admission.js';

export function authorize(verdict: Verdict, { operation, params, allow }: Match, tenantId: string): void {
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
}

/** Whether a credential of the tenant may call the operation on its own tenant. */
export const mayCall = ({ scope, onlyTenant }: Operation, tenantId: string, isGranted: boolean): boolean =>
  (scope === null || isGranted) && (onlyTenant === null || onlyTenant === tenantId);

export const forbidden = (scope: Scope | null) =>
  new ApiError('FORBIDDEN', {
    message: `Authorization was denied: this needs ${scope ?? 'another credential'} in the tenant.`,
    ...(scope && { metadata: { required_scope: scope, granted_by_roles: rolesThatGrant(scope) } }),
  });
