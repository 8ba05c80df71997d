import type { Logger } from 'pino';
import type { Server } from './start.js';

const STOP_WITHIN_MS = 15_000;

/** Stops the server and exits the process. */
export function stopAndExit(server: Server, logger: Logger): void {
  setTimeout(() => {
    logger.error('The stop took too long: Postgres or NATS does not answer.');
    process.exit(1);
  }, STOP_WITHIN_MS).unref();
  server.stop().then(
    () => process.exit(0),
    (error: unknown) => {
      logger.error({ err: error }, 'The stop was not clean.');
      process.exit(1);
    },
  );
}
