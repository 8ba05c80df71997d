import pino, { type Logger } from 'pino';

/** JSON lines on standard error. Secrets and signatures have no business in a log; these paths are the second fence. */
export const createLogger = (level: string): Logger =>
  pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: [
          'secret',
          '*.secret',
          '*.secret_sealed',
          '*.secretSealed',
          '*.previousSecretSealed',
          'headers["x-api-signature"]',
        ],
        censor: '[redacted]',
      },
    },
    pino.destination({ dest: 2, sync: true }),
  );
