export type * from './api.gen.js';
export { TenantOpenPlatform } from './client.js';
export type { TenantOpenPlatformOptions } from './configuration.js';
export type { ApiPromise, WithResponse } from './core/api-promise.js';
export type { ErrorEvent, Hooks, Logger, LogLevel, RequestEvent, ResponseEvent, RetryEvent } from './core/observe.js';
export type { Page, PagePromise } from './core/page.js';
export type { KeyedRequestOptions, RequestOptions } from './core/request-options.js';
export {
  type AnyTenantOpenPlatformError,
  ApiError,
  ConfigurationError,
  ConnectionError,
  type ErrorCode,
  type ErrorContext,
  type ErrorDetail,
  type ErrorMetadata,
  IdempotencyMismatchError,
  InvalidArgumentError,
  isApiError,
  isConfigurationError,
  isConnectionError,
  isIdempotencyMismatchError,
  isInvalidArgumentError,
  isObjectStoreError,
  isTenantOpenPlatformError,
  isTimeoutError,
  isWaitAbortedError,
  isWaitTimeoutError,
  ObjectStoreError,
  TenantOpenPlatformError,
  TimeoutError,
  WaitAbortedError,
  WaitTimeoutError,
} from './errors.js';
export type { DownloadedObject } from './objects/download.js';
export type { TransferOptions, TransferProgress } from './objects/transfer.js';
export type { UploadContent, UploadedObject, UploadOptions } from './objects/upload.js';
export type { CommandCreate, CommandCreateOptions } from './resources/commands.js';
export type { AcceptedCommand, CommandResult, CreatedCommands, CreateManyOptions } from './resources/create-many.js';
export type { DeviceRequestFollowOptions } from './resources/device-requests.js';
export type { EventFollowOptions } from './resources/events.js';
export type { CommandOutcome, OutcomesOptions } from './resources/outcomes.js';
export type { WaitOptions } from './resources/wait-for-command.js';
export type {
  Fetch,
  FetchInit,
  FetchResponse,
  ResponseHeaders,
  RuntimeBlob,
  RuntimeReadableStream,
} from './runtime.js';
