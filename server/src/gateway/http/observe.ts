import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { LogRefusal } from '../../foundation/telemetry/logger.js';
import type { Metrics } from '../../foundation/telemetry/metrics.js';
import { startSpan, traceIdOf, traceparentOf } from '../../foundation/telemetry/spans.js';
import type { Incoming, Reply } from './exchange.js';

/** The client disconnected before the whole answer was sent. */
const ABANDONED = 499;

type Observers = { logger: Logger; logRefusal: LogRefusal; metrics: Metrics };

/** Counts and logs a request when it ends, whether answered or abandoned. */
export function observe(req: Incoming, reply: Reply, observers: Observers): void {
  const { logger, logRefusal, metrics } = observers;
  const startedAt = performance.now();
  const span = req.url.startsWith('/api/') ? startSpan(req.method, SpanKind.SERVER, req.headers.traceparent) : null;
  reply.locals.traceparent = span ? traceparentOf(span) : undefined;
  reply.once('close', () => {
    const { requestId, address, operation, call, tenantId, code } = reply.locals;
    const seconds = (performance.now() - startedAt) / 1000;
    const status = reply.writableFinished ? reply.statusCode : ABANDONED;
    metrics.countRequest(operation ?? 'none', status, seconds);
    if (operation) span?.updateName(operation);
    if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.setAttributes({ 'http.response.status_code': status, 'top.request_id': requestId }).end();
    const ids = { request_id: requestId, trace_id: traceIdOf(reply.locals.traceparent) };
    if (code) logRefusal({ code, status: reply.statusCode, ...ids, tenant_id: tenantId, address, req });
    if (!logger.isLevelEnabled('debug')) return;
    const client_id = call?.caller.clientId;
    const duration_ms = Math.round(seconds * 1000);
    logger.debug({ ...ids, client_id, operation, method: req.method, status, code, duration_ms }, 'request');
  });
}
