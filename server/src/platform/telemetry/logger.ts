import pino, { type DestinationStream, type Logger } from 'pino';
import { serializeError } from './serialize-error.js';

/** JSON lines on standard error. Secrets and signatures have no business in a log; these paths are the second fence. */
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
