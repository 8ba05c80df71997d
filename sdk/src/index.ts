export { TenantOpenPlatform } from './client.js';
export type { TenantOpenPlatformOptions } from './configuration.js';
export type { ApiPromise, WithResponse } from './core/api-promise.js';
export type { AnswerEvent, AttemptEvent, Hooks, Logger, RetryEvent } from './core/observe.js';
export type { Page, PagePromise } from './core/page.js';
export type { RequestOptions } from './core/send.js';
export {
  ApiError,
  ConfigurationError,
  ConnectionError,
  type ErrorContext,
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
  isUnknownOutcomeError,
  isWaitTimeoutError,
  ObjectStoreError,
  TenantOpenPlatformError,
  TimeoutError,
  UnknownOutcomeError,
  WaitTimeoutError,
} from './errors.js';
export type { DownloadedObject } from './objects/download.js';
export type { TransferOptions, TransferProgress } from './objects/transfer.js';
export type { UploadContent, UploadedObject, UploadOptions } from './objects/upload.js';
export type { WaitOptions } from './resources/commands.js';
export type {
  Fetch,
  FetchInit,
  FetchResponse,
  ResponseHeaders,
  RuntimeBlob,
  RuntimeReadableStream,
} from './runtime.js';
export type * from './types.js';
