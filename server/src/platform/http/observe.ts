import type { Logger } from 'pino';
import type { Metrics } from '../telemetry/metrics.js';
import type { LogRefusal } from '../telemetry/refusal-log.js';
import type { Incoming, Reply } from './exchange.js';

/** The client disconnected before the whole answer was sent. */
const ABANDONED = 499;

type Observers = { logger: Logger; logRefusal: LogRefusal; metrics: Metrics };

/** Counts and logs a request when it ends, whether answered or abandoned. */
export function observe(req: Incoming, reply: Reply, observers: Observers): void {
  const { logger, logRefusal, metrics } = observers;
  const startedAt = performance.now();
  reply.once('close', () => {
    const { requestId, address, operation, call, tenantId, code } = reply.locals;
    const seconds = (performance.now() - startedAt) / 1000;
    const status = reply.writableFinished ? reply.statusCode : ABANDONED;
    metrics.countRequest(operation ?? 'none', status, seconds);
    if (code) {
      logRefusal({ code, status: reply.statusCode, request_id: requestId, tenant_id: tenantId, address, req });
    }
    if (!logger.isLevelEnabled('debug')) return;
    const client_id = call?.caller.clientId;
    const duration_ms = Math.round(seconds * 1000);
    logger.debug(
      { request_id: requestId, client_id, operation, method: req.method, status, code, duration_ms },
      'request',
    );
  });
}
