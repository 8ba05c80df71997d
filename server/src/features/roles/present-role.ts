import { scopes as allScopes, type Scope } from '@tenant-open-platform/contract';
import type { Call } from '../../platform/operation/call.js';

type Role = { role: string; scopes: readonly Scope[]; builtIn: boolean };

/** Scopes are listed in the order of the reference, not in the order of the request. */
export const presentRole = ({ role, scopes, builtIn }: Role, { requestId }: Call) => ({
  role,
  scopes: allScopes.filter((scope) => scopes.includes(scope)),
  built_in: builtIn,
  request_id: requestId,
});
