import type { Logger } from 'pino';
import type { Incoming, Reply } from '../http/exchange.js';
import type { Metrics } from './metrics.js';

/** The caller left before it had its whole answer. */
const ABANDONED = 499;

/** Counts and logs a request when it ends, answered or abandoned. */
export function observe({ method }: Incoming, reply: Reply, logger: Logger, metrics: Metrics): void {
  const startedAt = performance.now();
  reply.once('close', () => {
    const { requestId, operation, call, code } = reply.locals;
    const seconds = (performance.now() - startedAt) / 1000;
    const status = reply.writableFinished ? reply.statusCode : ABANDONED;
    metrics.countRequest(operation ?? 'none', status, seconds);
    if (!logger.isLevelEnabled('debug')) return;
    const duration_ms = Math.round(seconds * 1000);
    logger.debug(
      { request_id: requestId, client_id: call?.caller.clientId, operation, method, status, code, duration_ms },
      'request',
    );
  });
}
