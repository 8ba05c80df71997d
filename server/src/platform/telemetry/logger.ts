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

type Serialized = {
  type: string;
  message?: string;
  code?: string;
  query?: string;
  stack: string;
  cause?: unknown;
  errors?: unknown[];
};

/** An AggregateError may have a failure for each of thousands of durables. */
const MAX_ERRORS = 3;

/**
 * An error for the log, reduced to an allowlist. The driver's errors carry the parameters of their query and the values
 * of the row, including sealed secrets; drizzle also puts the parameters into message and stack.
 */
export function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, query } = error as { code?: unknown; query?: unknown };
  const serialized: Serialized = { type: error.constructor.name, stack: framesOf(error) };
  if (!(error instanceof DrizzleQueryError)) serialized.message = error.message;
  if (typeof code === 'string') serialized.code = code;
  if (typeof query === 'string') serialized.query = query;
  if (error.cause !== undefined) serialized.cause = serializeError(error.cause);
  if (error instanceof AggregateError) serialized.errors = error.errors.slice(0, MAX_ERRORS).map(serializeError);
  return serialized;
}

/** The stack begins with the message, which may span any number of lines. */
function framesOf({ message, stack = '' }: Error): string {
  const start = stack.indexOf(message);
  return start === -1 ? '' : stack.slice(start + message.length).trimStart();
}
