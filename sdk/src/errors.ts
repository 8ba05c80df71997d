import type { Command, CommandAccepted, ErrorBody, ErrorCode, ErrorDetail } from './types.js';

/** What is known of the call that failed. */
export interface ErrorContext {
  operation?: string | undefined;
  requestId?: string | undefined;
  attempts?: number | undefined;
  idempotencyKey?: string | undefined;
  cause?: unknown;
}

/** Marks the errors of every copy of the package in a process, where `instanceof` knows only its own. */
const brand = Symbol.for('@tenant-open-platform/sdk/error');

/**
 * The base of every error that the client throws. The exceptions: an aborted call rejects with the signal's reason, and an
 * upload whose content cannot be read with the error of reading it.
 */
export class TenantOpenPlatformError extends Error {
  declare name: string;
  static {
    this.prototype.name = this.name;
  }
  /** The operation, for example `commands.create`; absent where no call was made. */
  declare readonly operation?: string;
  /** Correlation id: sent as `X-Request-Id` with every attempt. Quote it in reports. */
  declare readonly requestId?: string;
  /** How many requests were sent. */
  declare readonly attempts?: number;
  /** The idempotency_key of `commands.create`, also where the client made it: pass it to repeat the call safely. */
  declare readonly idempotencyKey?: string;

  constructor(message: string, { cause, ...context }: ErrorContext = {}) {
    super(message, cause === undefined ? undefined : { cause });
    Object.defineProperty(this, brand, { value: true });
    for (const [key, value] of Object.entries(context)) if (value !== undefined) Object.assign(this, { [key]: value });
  }
}

/** The client cannot be made from these options: something is missing, malformed or unsafe. */
export class ConfigurationError extends TenantOpenPlatformError {
  declare name: 'ConfigurationError';
  static {
    this.prototype.name = this.name as 'ConfigurationError';
  }
}

/** An argument that no request can carry, for example an empty id. Nothing was sent. */
export class InvalidArgumentError extends TenantOpenPlatformError {
  declare name: 'InvalidArgumentError';
  static {
    this.prototype.name = this.name as 'InvalidArgumentError';
  }
}

/** The platform, or something before it, answered with an error. */
export class ApiError extends TenantOpenPlatformError {
  declare name: 'ApiError';
  static {
    this.prototype.name = this.name as 'ApiError';
  }
  /** The HTTP status. */
  declare readonly status: number;
  /** A code of the table of errors, or `UNEXPECTED_ANSWER` where the answer is not the platform's. */
  declare readonly code: ErrorCode;
  /** Whether the same call may succeed later. The client has already retried where that was safe. */
  declare readonly retryable: boolean;
  /** Every place in the request that is wrong. */
  declare readonly details: readonly ErrorDetail[];
  /** Facts that belong to the code, for example `required_scope` with FORBIDDEN. */
  declare readonly metadata: Readonly<Record<string, unknown>>;
  /** How long the platform asks to wait, in milliseconds, from Retry-After. */
  declare readonly retryAfterMs?: number;

  constructor(
    status: number,
    body: Pick<ErrorBody, 'code' | 'message' | 'details' | 'metadata'>,
    context: ErrorContext & { retryAfterMs?: number | undefined } = {},
  ) {
    super(body.message, context);
    this.status = status;
    this.code = body.code;
    this.retryable = mayHelpToRetry(status, body.code);
    this.details = body.details ?? [];
    this.metadata = body.metadata ?? {};
  }
}

/** No answer arrived: the platform could not be reached, or the connection was lost. */
export class ConnectionError extends TenantOpenPlatformError {
  declare name: 'ConnectionError';
  static {
    this.prototype.name = this.name as 'ConnectionError';
  }
}

/** No answer arrived within `timeoutMs`, or within what was left of `deadlineMs`. */
export class TimeoutError extends TenantOpenPlatformError {
  declare name: 'TimeoutError';
  static {
    this.prototype.name = this.name as 'TimeoutError';
  }
}

/**
 * The request may or may not have taken effect, and repeating it blindly could do it twice. The message says what to
 * check; `cause` is the {@link ConnectionError}, {@link TimeoutError} or {@link ApiError} behind it.
 */
export class UnknownOutcomeError extends TenantOpenPlatformError {
  declare name: 'UnknownOutcomeError';
  static {
    this.prototype.name = this.name as 'UnknownOutcomeError';
  }
}

/** The idempotency_key belongs to an earlier, different command. Nothing new was made. */
export class IdempotencyMismatchError extends TenantOpenPlatformError {
  declare name: 'IdempotencyMismatchError';
  static {
    this.prototype.name = this.name as 'IdempotencyMismatchError';
  }
  /** The existing command of this idempotency_key. */
  declare readonly command: CommandAccepted;
  /** The fields in which the request differs from it, for example `['payload', 'device_id']`. */
  declare readonly fields: readonly string[];

  constructor(command: CommandAccepted, fields: readonly string[], context: ErrorContext = {}) {
    super(
      `The idempotency_key belongs to command ${command.command_id}, which differs in ${fields.join(', ')}. Nothing new was made; use another key for another command.`,
      context,
    );
    this.command = command;
    this.fields = fields;
  }
}

/** The command was not final in the time that the caller had for it. It goes on: wait again, or cancel it. */
export class WaitTimeoutError extends TenantOpenPlatformError {
  declare name: 'WaitTimeoutError';
  static {
    this.prototype.name = this.name as 'WaitTimeoutError';
  }
  /** The command as it was read last. */
  declare readonly command: Command;

  constructor(command: Command) {
    super(`Command ${command.command_id} is still ${command.status}.`, { requestId: command.request_id });
    this.command = command;
  }
}

/** The store refused a transfer, not the platform. The presigned URL, which is a secret while it works, is not in it. */
export class ObjectStoreError extends TenantOpenPlatformError {
  declare name: 'ObjectStoreError';
  static {
    this.prototype.name = this.name as 'ObjectStoreError';
  }
  /** The HTTP status. */
  declare readonly status: number;
  /** The code of the store, for example `NoSuchKey`; null where it gives none. */
  declare readonly code: string | null;
  /** Whether the same transfer may succeed later. The client has already repeated it where that was possible. */
  declare readonly retryable: boolean;

  constructor(message: string, context: ErrorContext & { status: number; code: string | null; retryable: boolean }) {
    super(message, context);
  }
}

/** True for every error of this package, also of another copy of it. */
export function isTenantOpenPlatformError(error: unknown): error is TenantOpenPlatformError {
  return error instanceof Error && brand in error;
}

/** True for an {@link ApiError}, of the given code where one is given: `isApiError(error, 'NOT_FOUND')`. */
export function isApiError(error: unknown, code?: ErrorCode): error is ApiError {
  return hasName(error, 'ApiError') && (code === undefined || (error as ApiError).code === code);
}

export const isConfigurationError = guardOf<ConfigurationError>('ConfigurationError');
export const isInvalidArgumentError = guardOf<InvalidArgumentError>('InvalidArgumentError');
export const isConnectionError = guardOf<ConnectionError>('ConnectionError');
export const isTimeoutError = guardOf<TimeoutError>('TimeoutError');
export const isUnknownOutcomeError = guardOf<UnknownOutcomeError>('UnknownOutcomeError');
export const isIdempotencyMismatchError = guardOf<IdempotencyMismatchError>('IdempotencyMismatchError');
export const isWaitTimeoutError = guardOf<WaitTimeoutError>('WaitTimeoutError');
export const isObjectStoreError = guardOf<ObjectStoreError>('ObjectStoreError');

function guardOf<E extends TenantOpenPlatformError>(name: E['name']) {
  return (error: unknown): error is E => hasName(error, name);
}

function hasName(error: unknown, name: string): boolean {
  return isTenantOpenPlatformError(error) && error.name === name;
}

/** Of the 4xx these are refusals that pass; codes of a later version are judged by their status. */
function mayHelpToRetry(status: number, code: string): boolean {
  return status >= 500 || status === 408 || status === 429 || code === 'CLOCK_SKEW' || code === 'NONCE_REUSED';
}
