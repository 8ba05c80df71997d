/** Marks the errors of every copy of the kit in a process; `instanceof` recognises only its own. */
const brand = Symbol.for('@tenant-open-platform/sdk/adapter/error');

/** How a handler can end a command, other than SUCCEEDED. */
export type FailedStatus = 'REJECTED' | 'FAILED' | 'UNREACHABLE' | 'UNSUPPORTED' | 'TIMED_OUT';

/**
 * The base of the errors with which a handler ends a command. The caller of the platform sees `code` and `message`, so
 * write them for people outside your company.
 */
export class AdapterError extends Error {
  override get name(): string {
    return 'AdapterError';
  }

  constructor(
    readonly status: FailedStatus,
    /** Machine-readable, up to 128 characters. */
    readonly code: string,
    /** Up to 1,024 characters. */
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    Object.defineProperty(this, brand, { value: true });
  }
}

/** The device or the adapter refuses the command, for example because the device belongs to another tenant. It did nothing. */
export class Rejected extends AdapterError {
  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super('REJECTED', code, message, options);
  }
}

/** The device tried to execute the command and failed. You know that: it said so. */
export class Failed extends AdapterError {
  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super('FAILED', code, message, options);
  }
}

/** The device cannot be reached, so it did not execute the command. */
export class Unreachable extends AdapterError {
  constructor(code = 'UNREACHABLE', message = 'The device cannot be reached.', options?: { cause?: unknown }) {
    super('UNREACHABLE', code, message, options);
  }
}

/** The adapter or the device does not know the command type. */
export class Unsupported extends AdapterError {
  constructor(
    code = 'UNSUPPORTED',
    message = 'The adapter does not support this command.',
    options?: { cause?: unknown },
  ) {
    super('UNSUPPORTED', code, message, options);
  }
}

/**
 * You do not know whether the device executed the command: it did not answer, or the connection broke after you had
 * sent it. The command ends as TIMED_OUT, and nobody is told that it is safe to repeat.
 */
export class OutcomeUnknown extends AdapterError {
  constructor(
    code = 'OUTCOME_UNKNOWN',
    message = 'It is not known whether the device executed the command.',
    options?: { cause?: unknown },
  ) {
    super('TIMED_OUT', code, message, options);
  }
}

export const isAdapterError = (error: unknown): error is AdapterError =>
  typeof error === 'object' && error !== null && brand in error;
