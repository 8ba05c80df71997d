export { AuditOutcome } from './audit-events.js';
export { PrincipalStatus, PrincipalType } from './bus-principals.js';
export { CallbackStatus } from './callback-endpoints.js';
export { SubscriptionStatus } from './callback-subscriptions.js';
export { FigureGrouping, MAX_FIGURE_GROUPS } from './command-figures.js';
export { AdapterStatus, CommandStatus, DeviceExecutionStatus } from './command-statuses.js';
export { MAX_NAMED_REASONS } from './command-summary.js';
export { allOperations, contract, lackedToRead, type Operation, platformTenantScopes } from './contract.js';
export { CredentialStatus } from './credentials.js';
export { DeviceRequestStatus, ReplyOutcome } from './device-requests.js';
export { ErrorBody, type ErrorCode, type ErrorDetail, errors } from './errors.js';
export { errorsOf } from './errors-of.js';
export { eventTypes, PlatformEvent } from './events.js';
export { ObjectConfigStatus } from './object-credentials.js';
export { ObjectOperation } from './object-resources.js';
export { type AnswerHeader, answerHeaders, type LargeBody, requestHeaders } from './operation.js';
export { ParkedMessageKind } from './parked-messages.js';
export { InputTimestamp, MAX_INSTANT, patterns } from './primitives.js';
export { type Readiness, readinessOf } from './probes.js';
export {
  builtInRoles,
  isScope,
  objectAndAction,
  PLATFORM_TENANT_ID,
  type Scope,
  scopes,
} from './scopes.js';
export { TenantExportType, TenantStatus } from './tenants.js';
