/** Receives log lines; `console` fits. Secrets, signatures and bodies are never logged. */
export interface Logger {
  debug?(message: string, fields: object): void;
  warn?(message: string, fields: object): void;
}

export interface AttemptEvent {
  /** For example `commands.create`. */
  operation: string;
  /** Counts from 1. */
  attempt: number;
  method: string;
  /** `path[?query]` as it is sent, without a path prefix of the base URL. */
  target: string;
  requestId: string;
}

export interface AnswerEvent extends AttemptEvent {
  /** The HTTP status. */
  status: number;
  /** From signing to the last byte of the answer. */
  durationMs: number;
}

export interface RetryEvent extends AttemptEvent {
  /** Why the attempt failed. */
  error: Error;
  /** How long the client waits before the next attempt. */
  delayMs: number;
}

/** Called for every attempt, for metrics and traces. What a hook throws is ignored: watching changes no outcome. */
export interface Hooks {
  onRequest?(event: AttemptEvent): void;
  onAnswer?(event: AnswerEvent): void;
  onRetry?(event: RetryEvent): void;
}

export interface Observer {
  request(event: AttemptEvent): void;
  answer(event: AnswerEvent): void;
  retry(event: RetryEvent): void;
}

export function createObserver(logger: Logger = {}, hooks: Hooks = {}): Observer {
  return {
    request: (event) =>
      quietly(
        () => hooks.onRequest?.(event),
        () => logger.debug?.('request', event),
      ),
    answer: (event) =>
      quietly(
        () => hooks.onAnswer?.(event),
        () => logger.debug?.('answer', event),
      ),
    retry: (event) =>
      quietly(
        () => hooks.onRetry?.(event),
        () => logger.warn?.('retry', { ...event, error: event.error.message }),
      ),
  };
}

function quietly(...watchers: (() => void)[]): void {
  for (const watch of watchers) {
    try {
      watch();
    } catch {}
  }
}
