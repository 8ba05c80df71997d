import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { Metrics } from './metrics.js';

/** The caller left before it had its whole answer. */
const ABANDONED = 499;

/** Counts and logs a request when it ends, answered or abandoned. */
export function observe(req: Request, res: Response, { logger, metrics }: { logger: Logger; metrics: Metrics }): void {
  const startedAt = performance.now();
  const { method } = req;
  res.once('close', () => {
    const seconds = (performance.now() - startedAt) / 1000;
    const status = res.writableFinished ? res.statusCode : ABANDONED;
    metrics.countRequest(res.locals.operation ?? 'none', status, seconds);
    if (!logger.isLevelEnabled('debug')) return;
    logger.debug(
      {
        request_id: res.getHeader('X-Request-Id'),
        client_id: res.locals.call?.caller.clientId,
        operation: res.locals.operation,
        method,
        status,
        code: res.locals.code,
        duration_ms: Math.round(seconds * 1000),
      },
      'request',
    );
  });
}
