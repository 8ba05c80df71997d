import { ConfigurationError, isApiError, type TenantOpenPlatformError } from '../errors.js';
import { checkedHeaders } from './request-headers.js';

/** Receives log lines; `console` fits. Secrets, signatures and bodies are never logged. */
export interface Logger {
  debug?(message: string, fields: object): void;
  warn?(message: string, fields: object): void;
  error?(message: string, fields: object): void;
}

/** `off`: nothing. `error`: calls that failed. `warn`: retries, too. `debug`: every request and response, too. */
export type LogLevel = 'off' | 'error' | 'warn' | 'debug';

export interface RequestEvent {
  /** For example `commands.create`. */
  operation: string;
  /** Counts from 1. */
  attempt: number;
  method: string;
  /** `path[?query]` as it is sent, without a path prefix of the base URL. */
  target: string;
  requestId: string;
}

export interface ResponseEvent extends RequestEvent {
  /** The HTTP status. */
  status: number;
  /** From signing to the last byte of the answer. */
  durationMs: number;
}

export interface RetryEvent extends RequestEvent {
  /** Why the attempt failed. */
  error: TenantOpenPlatformError;
  /** How long the client waits before the next attempt. */
  delayMs: number;
}

export interface ErrorEvent extends RequestEvent {
  /** The error that the call fails with. */
  error: TenantOpenPlatformError;
}

/**
 * Called for every attempt, for metrics and traces. Errors that a hook throws are ignored: observing changes no
 * outcome.
 */
export interface Hooks {
  /** Before an attempt. The returned headers are sent with it, for example `traceparent`. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing.
  onRequest?(event: RequestEvent): Readonly<Record<string, string>> | void;
  onResponse?(event: ResponseEvent): void;
  onRetry?(event: RetryEvent): void;
  /** Once for a call that fails, but not for an aborted one. */
  onError?(event: ErrorEvent): void;
}

export interface Observer {
  request(event: RequestEvent): Record<string, string>;
  response(event: ResponseEvent): void;
  retry(event: RetryEvent): void;
  error(event: ErrorEvent): void;
}

const LEVELS = ['off', 'error', 'warn', 'debug'];

export function createObserver(hooks: Hooks, logger: Logger, level: LogLevel | undefined): Observer {
  const rank = LEVELS.indexOf(level ?? 'off');
  // A wait outlives outages. A wrong base URL looks like one, so the first failure is logged where no level was chosen.
  let isUnanswered = level === undefined;
  if (rank < 0) throw new ConfigurationError(`The log level must be one of ${LEVELS.join(', ')}.`);
  const log = (at: 'error' | 'warn' | 'debug', message: string, fields: object) => {
    if (rank >= LEVELS.indexOf(at)) quietly(() => logger[at]?.(message, fields));
  };
  return {
    request: (event) => {
      log('debug', 'request', event);
      return quietly(() => checkedHeaders(hooks.onRequest?.(event) ?? undefined)) ?? {};
    },
    response: (event) => {
      isUnanswered = false;
      log('debug', 'response', event);
      quietly(() => hooks.onResponse?.(event));
    },
    retry: (event) => {
      const fields = { ...event, error: describe(event.error) };
      log('warn', 'retry', fields);
      if (isUnanswered)
        quietly(() => logger.warn?.(`${event.error.message} Is baseUrl right?`, { requestId: event.requestId }));
      isUnanswered = false;
      quietly(() => hooks.onRetry?.(event));
    },
    error: (event) => {
      log('error', 'failed', { ...event, error: describe(event.error) });
      quietly(() => hooks.onError?.(event));
    },
  };
}

const describe = (error: TenantOpenPlatformError) =>
  isApiError(error) ? `${error.code}: ${error.message}` : error.message;

function quietly<T>(watch: () => T): T | undefined {
  try {
    return watch();
  } catch {
    return undefined;
  }
}
