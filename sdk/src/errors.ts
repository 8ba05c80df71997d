import { isTransient } from '@tenant-open-platform/contract/facts';
import type { Command, CommandAccepted, ErrorBody } from './api.gen.js';
import type { ResponseHeaders } from './runtime.js';

/** The codes of this version of the client. A later platform may answer others. */
export type ErrorCode = ErrorBody['code'];
export type ErrorDetail = NonNullable<ErrorBody['details']>[number];

/** The known facts about the failed call. */
export interface ErrorContext {
  operation?: string | undefined;
  requestId?: string | undefined;
  attempts?: number | undefined;
  idempotencyKey?: string | undefined;
  commandId?: string | undefined;
  docUrl?: string | undefined;
  cause?: unknown;
  /** The message without the name of the operation. Default: the message. */
  reason?: string | undefined;
}

/** The message of a failed call, which begins with the operation, and its context. */
export const ofCall = (reason: string, context: ErrorContext): [message: string, context: ErrorContext] => [
  context.operation ? `${context.operation}: ${reason}` : reason,
  { ...context, reason },
];

/** Marks the errors of every copy of the package in a process; `instanceof` recognises only its own. */
const brand = Symbol.for('@tenant-open-platform/sdk/error');

/**
 * The base of every error that the client throws, with two exceptions. An aborted call rejects with the reason of its
 * signal. An upload whose content cannot be read rejects with the error of reading it.
 */
export class TenantOpenPlatformError extends Error {
  // A getter: the name exists when the stack trace is taken, and a consumer's minifier keeps it.
  override get name(): string {
    return 'TenantOpenPlatformError';
  }
  /** The message without the name of the operation, for example as the platform gave it. Not shown by console.log. */
  declare readonly reason: string;
  /** Explains the error, on a page of the platform; absent if no call was made. */
  declare readonly docUrl?: string;
  /** The operation, for example `commands.create`; absent if no call was made. */
  declare readonly operation?: string;
  /** Correlation id: sent as `X-Request-Id` with every attempt. Quote it in reports. */
  declare readonly requestId?: string;
  /** How many requests were sent. */
  declare readonly attempts?: number;
  /** The idempotency key of the call, even if the client generated it: pass it to repeat the call safely. */
  declare readonly idempotencyKey?: string;
  /** The command that was waited for, once it is known. */
  declare readonly commandId?: string;

  /** `docUrl` may have a row already; `row` is the one of this error, by default its name. */
  constructor(message: string, { cause, docUrl, reason = message, ...context }: ErrorContext = {}, row?: string) {
    super(message, cause === undefined ? undefined : { cause });
    Object.defineProperties(this, { [brand]: { value: true }, reason: { value: reason } });
    const own = { docUrl: docUrl && `${docUrl.split('#')[0]}#${row ?? this.name}`, ...context };
    for (const [key, value] of Object.entries(own)) if (value !== undefined) Object.assign(this, { [key]: value });
  }
}

/** The client cannot be created from these options: one is missing, malformed or unsafe. */
export class ConfigurationError extends TenantOpenPlatformError {
  override get name(): 'ConfigurationError' {
    return 'ConfigurationError';
  }
}

/** An argument that no request can carry, for example an empty id. Nothing was sent. */
export class InvalidArgumentError extends TenantOpenPlatformError {
  override get name(): 'InvalidArgumentError' {
    return 'InvalidArgumentError';
  }
}

/** The `metadata` of these codes. */
export interface ErrorMetadata {
  UNAUTHENTICATED: { string_to_sign?: string };
  CLOCK_SKEW: { server_time?: string; allowed_clock_skew_seconds?: number; signed_not_before?: string };
  FORBIDDEN: { required_scope?: string; granted_by_roles?: string[] };
  OBJECT_CREDENTIAL_IN_USE: { resource_ids?: string[] };
  TENANT_MOVED: { base_url?: string };
  RATE_LIMITED: { quota?: string; limit?: number };
  /** The beginning of the answer. */
  UNEXPECTED_ANSWER: { text?: string };
}

type MetadataOf<Code> = Readonly<
  Record<string, unknown> & (Code extends keyof ErrorMetadata ? ErrorMetadata[Code] : object)
>;

/**
 * The platform, or a proxy in front of it, answered with an error. `isApiError(error, code)` narrows it to one code.
 */
export class ApiError<Code extends ErrorCode = ErrorCode> extends TenantOpenPlatformError {
  override get name(): 'ApiError' {
    return 'ApiError';
  }
  /** The HTTP status. */
  readonly status: number;
  /** A code of the error table, or `UNEXPECTED_ANSWER` if the answer did not come from the platform. */
  readonly code: Code;
  /** Whether the same call may succeed later. The client has already retried if that was safe. */
  readonly retryable: boolean;
  /** Every invalid part of the request. */
  readonly details: readonly ErrorDetail[];
  /**
   * Facts about the code, for example `required_scope` with FORBIDDEN. With UNEXPECTED_ANSWER, `text` is the beginning
   * of the answer.
   */
  readonly metadata: MetadataOf<Code>;
  /** How long the platform asks to wait, in milliseconds, from Retry-After. */
  declare readonly retryAfterMs?: number;
  /** The headers of the answer. Not shown by console.log. */
  declare readonly headers?: ResponseHeaders;

  constructor(
    status: number,
    body: Pick<ErrorBody, 'code' | 'message' | 'details' | 'metadata'>,
    { headers, ...context }: ErrorContext & { retryAfterMs?: number | undefined; headers?: ResponseHeaders } = {},
  ) {
    super(...ofCall(body.message, context), body.code);
    Object.defineProperty(this, 'headers', { value: headers });
    this.status = status;
    this.code = body.code as Code;
    // Codes of a later version are judged by their status.
    this.retryable = isTransient(status) || ['CLOCK_SKEW', 'NONCE_REUSED'].includes(body.code);
    this.details = body.details ?? [];
    this.metadata = (body.metadata ?? {}) as MetadataOf<Code>;
  }
}

/** No answer arrived: the platform could not be reached, or the connection was lost. */
export class ConnectionError extends TenantOpenPlatformError {
  override get name(): 'ConnectionError' {
    return 'ConnectionError';
  }
}

/** No answer arrived within `timeoutMs`, or within the rest of `deadlineMs`. */
export class TimeoutError extends TenantOpenPlatformError {
  override get name(): 'TimeoutError' {
    return 'TimeoutError';
  }
}

/** The idempotency_key belongs to an earlier, different command. No new command was created. */
export class IdempotencyMismatchError extends TenantOpenPlatformError {
  override get name(): 'IdempotencyMismatchError' {
    return 'IdempotencyMismatchError';
  }
  /** The existing command of this idempotency_key. */
  readonly command: CommandAccepted;
  /** The fields that differ from it, for example `['payload', 'device_id']`. */
  readonly fields: readonly string[];

  constructor(command: CommandAccepted, fields: readonly string[], context: ErrorContext = {}) {
    super(
      `The idempotency_key belongs to command ${command.command_id}, which differs in ${fields.join(', ')}. Nothing new was made; use another key for another command.`,
      context,
    );
    this.command = command;
    this.fields = fields;
  }
}

/**
 * The command was not final within the time of the wait. It continues: wait again for `commandId`, or cancel it.
 * `cause` is the last failure, if the platform could not be reached at the end.
 */
export class WaitTimeoutError extends TenantOpenPlatformError {
  override get name(): 'WaitTimeoutError' {
    return 'WaitTimeoutError';
  }
  /** The command as it was last read; undefined if it was never read. */
  readonly command: Command | undefined;

  constructor({ command, ...context }: ErrorContext & { command: Command | undefined }) {
    const state = command ? `is still ${command.status}` : 'could not be read';
    super(`Command ${context.commandId} ${state}: the wait is over.`, { requestId: command?.request_id, ...context });
    this.command = command;
  }
}

/** The caller's signal ended a wait. The command continues; `cause` is the signal's reason. */
export class WaitAbortedError extends TenantOpenPlatformError {
  override get name(): 'WaitAbortedError' {
    return 'WaitAbortedError';
  }

  constructor(context: ErrorContext) {
    super('The wait was aborted. A command that was sent goes on.', context);
  }
}

/**
 * The store refused a transfer, not the platform. The error does not contain the presigned URL, which is a secret while
 * it is valid.
 */
export class ObjectStoreError extends TenantOpenPlatformError {
  override get name(): 'ObjectStoreError' {
    return 'ObjectStoreError';
  }
  /** The HTTP status. */
  readonly status: number;
  /** The code of the store, for example `NoSuchKey`; null if it gives none. */
  readonly code: string | null;
  /** Whether the same transfer may succeed later. The client has already retried if that was possible. */
  readonly retryable: boolean;

  constructor(
    message: string,
    { status, code, retryable, ...context }: ErrorContext & { status: number; code: string | null; retryable: boolean },
  ) {
    super(message, context);
    this.status = status;
    this.code = code;
    this.retryable = retryable;
  }
}

/** Every error of this package. `name` tells them apart: TypeScript narrows by it. */
export type AnyTenantOpenPlatformError =
  | ApiError
  | ConfigurationError
  | ConnectionError
  | IdempotencyMismatchError
  | InvalidArgumentError
  | ObjectStoreError
  | TimeoutError
  | WaitAbortedError
  | WaitTimeoutError;

/** True for every error of this package, even from another copy of it. */
export function isTenantOpenPlatformError(error: unknown): error is AnyTenantOpenPlatformError {
  return error instanceof Error && brand in error;
}

/** True for an {@link ApiError}, or for one with this code: `isApiError(error, 'NOT_FOUND')`. */
export function isApiError<Code extends ErrorCode = ErrorCode>(error: unknown, code?: Code): error is ApiError<Code> {
  return hasName(error, 'ApiError') && (code === undefined || (error as ApiError).code === code);
}

export const isConfigurationError = guardOf<ConfigurationError>('ConfigurationError');
export const isInvalidArgumentError = guardOf<InvalidArgumentError>('InvalidArgumentError');
export const isConnectionError = guardOf<ConnectionError>('ConnectionError');
export const isTimeoutError = guardOf<TimeoutError>('TimeoutError');
export const isIdempotencyMismatchError = guardOf<IdempotencyMismatchError>('IdempotencyMismatchError');
export const isWaitAbortedError = guardOf<WaitAbortedError>('WaitAbortedError');
export const isWaitTimeoutError = guardOf<WaitTimeoutError>('WaitTimeoutError');
export const isObjectStoreError = guardOf<ObjectStoreError>('ObjectStoreError');

function guardOf<E extends TenantOpenPlatformError>(name: E['name']) {
  return (error: unknown): error is E => hasName(error, name);
}

function hasName(error: unknown, name: string): boolean {
  return isTenantOpenPlatformError(error) && error.name === name;
}
