import type { IncomingMessage } from 'node:http';
import { patterns } from '@tenant-open-platform/contract';
import { DrizzleQueryError } from 'drizzle-orm';
import pino, { type DestinationStream, type Logger } from 'pino';

/** JSON lines on standard error. The code must not log secrets and signatures; these paths are a second safeguard. */
export const createLogger = (
  level: string,
  destination: DestinationStream = pino.destination({ dest: 2, sync: true }),
): Logger =>
  pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: serializeError },
      redact: {
        paths: [
          'secret',
          '*.secret',
          '*.secret_sealed',
          '*.secretSealed',
          '*.previousSecretSealed',
          'secret_access_key',
          '*.secret_access_key',
          'session_token',
          '*.session_token',
          '*.secretAccessKeySealed',
          '*.sessionTokenSealed',
          'headers["x-api-signature"]',
        ],
        censor: '[redacted]',
      },
    },
    destination,
  );

/** An AggregateError may have a failure for each of thousands of durables. */
const MAX_ERRORS = 3;

/**
 * An error for the log, reduced to an allowlist. The driver's errors carry the parameters of their query and the values
 * of the row, including sealed secrets; drizzle also puts the parameters into message and stack.
 */
export function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, query } = error as { code?: unknown; query?: unknown };
  return {
    type: error.constructor.name,
    stack: framesOf(error),
    ...(!(error instanceof DrizzleQueryError) && { message: error.message }),
    ...(typeof code === 'string' && { code }),
    ...(typeof query === 'string' && { query }),
    ...(error.cause !== undefined && { cause: serializeError(error.cause) }),
    ...(error instanceof AggregateError && { errors: error.errors.slice(0, MAX_ERRORS).map(serializeError) }),
  };
}

/** The stack begins with the message, which may span any number of lines. */
function framesOf({ message, stack = '' }: Error): string {
  const start = stack.indexOf(message);
  return start === -1 ? '' : stack.slice(start + message.length).trimStart();
}

/** Writes a line under a code, unless the code has its lines already. */
export type BoundedLog = (level: 'info' | 'warn' | 'error', code: string, fields: object, message: string) => void;

const TEN_A_SECOND = { lines: 10, everyMs: 1_000 };
export const ONCE_A_MINUTE = { lines: 1, everyMs: 60_000 };

/** A log that a flood of requests cannot fill: so many lines of each code, then how many were left out. */
export function boundedLog(logger: Logger, { lines, everyMs } = TEN_A_SECOND): BoundedLog {
  const counts = new Map<string, number>();

  function summarize(): void {
    for (const [code, count] of counts) {
      if (count > lines) logger.info({ code, left_out: count - lines }, 'more lines of this code were left out');
    }
    counts.clear();
  }

  return (level, code, fields, message) => {
    if (counts.size === 0) setTimeout(summarize, everyMs).unref();
    const count = (counts.get(code) ?? 0) + 1;
    counts.set(code, count);
    if (count <= lines) logger[level](fields, message);
  };
}

type RefusedRequest = {
  code: string;
  status: number;
  request_id: string;
  /** What the header X-Request-Id had. */
  replaced_request_id?: string | undefined;
  trace_id?: string | undefined;
  address: string | undefined;
  /** The tenant of the credential, once the signature is verified. */
  tenant_id?: string | undefined;
  /** Null if the bytes were not HTTP. */
  req: IncomingMessage | null;
};

export type LogRefusal = (request: RefusedRequest) => void;

const MAX_PATH_LENGTH = 256;

/** Logs answers of 400 and above, so that an operator can find a request_id. */
export const refusalLog =
  (log: BoundedLog): LogRefusal =>
  ({ req, ...facts }) =>
    log('info', facts.code, { ...facts, ...(req && claimsOf(req)) }, 'refused');

/** The request without the parts that may hold a secret: query, signature, user and password of a URL. */
function claimsOf({ method, url = '', headers }: IncomingMessage) {
  const id = headers['x-api-id'];
  return {
    method,
    path: url.startsWith('/') ? url.split('?', 1)[0]?.slice(0, MAX_PATH_LENGTH) : undefined,
    client_id: typeof id === 'string' && patterns.clientId.test(id) && !id.startsWith('osk_') ? id : undefined,
  };
}
