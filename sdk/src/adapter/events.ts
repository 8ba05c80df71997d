/** What an adapter logs. The fields depend on the event. */
export interface AdapterEvent {
  level: 'debug' | 'info' | 'warn' | 'error';
  /**
   * `connected`, `disconnected`, `serving`, `not-readable`, `stopped`: the connection and the durables.
   * `started`, `ended`, `failed`, `repeated`, `refused`, `expired`, `overdue`, `invalid`: commands.
   * `busy`: all places are taken, or commands end as ADAPTER_BUSY.
   * `frozen`: the process stood still for so long that another one may have its commands.
   * `clock-differs`: the clock of this machine is not that of NATS.
   * `publish-retried`: a message that NATS has not acknowledged.
   */
  event:
    | 'connected'
    | 'disconnected'
    | 'serving'
    | 'not-readable'
    | 'stopped'
    | 'started'
    | 'ended'
    | 'failed'
    | 'repeated'
    | 'refused'
    | 'expired'
    | 'overdue'
    | 'busy'
    | 'frozen'
    | 'clock-differs'
    | 'invalid'
    | 'publish-retried';
  /** Human-readable. */
  message: string;
  tenant_id?: string;
  device_id?: string;
  command_id?: string;
  command_type?: string;
  /** The name of the bus, if the adapter has several. */
  bus?: string;
  /** The error of a handler or of NATS. */
  error?: unknown;
  [field: string]: unknown;
}

/** Receives each event. What it throws is ignored. */
export type AdapterLog = (event: AdapterEvent) => void;

declare const console: { error(...values: unknown[]): void };

/** Without a `log` of their own, people see on standard error what they may have to act on. */
export const logToConsole: AdapterLog = ({ level, message, error }) => {
  if (level === 'debug') return;
  console.error(...[message, error].filter((part) => part !== undefined));
};

/** An observer changes no outcome. */
export const quietly =
  (log: AdapterLog): AdapterLog =>
  (event) => {
    try {
      log(event);
    } catch {}
  };

const SELDOM_MS = 30_000;

/** Logs the same message once in 30 seconds: what is tried again every second must not fill the log. */
export function seldom(log: AdapterLog): AdapterLog {
  const loggedAt = new Map<string, number>();
  return (event) => {
    const now = Date.now();
    if (now - (loggedAt.get(event.message) ?? 0) < SELDOM_MS) return;
    loggedAt.set(event.message, now);
    log(event);
  };
}
