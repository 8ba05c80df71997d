import { scopes as allScopes, type Scope } from '@tenant-open-platform/contract';

type Role = { role: string; scopes: readonly Scope[]; builtIn: boolean };

/** Scopes stand in the order of the reference, whatever order they were given in. */
export const presentRole = ({ role, scopes, builtIn }: Role, requestId: string) => ({
  role,
  scopes: allScopes.filter((scope) => scopes.includes(scope)),
  built_in: builtIn,
  request_id: requestId,
});
