export { allOperations, contract, type Operation } from './contract.js';
export { MAX_CLOCK_SKEW_SECONDS } from './credentials.js';
export { ErrorBody, type ErrorCode, type ErrorDetail, errors } from './errors.js';
export { eventTypes, PlatformEvent } from './events.js';
export { InputTimestamp, MAX_INSTANT, patterns } from './primitives.js';
export {
  builtInRoles,
  isScope,
  objectAndAction,
  PLATFORM_TENANT_ID,
  platformTenantScopes,
  type Scope,
  scopes,
} from './scopes.js';
