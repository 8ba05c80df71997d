import pino, { type DestinationStream, type Logger } from 'pino';
import { serializeError } from './serialize-error.js';

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
