import { type Attributes, ROOT_CONTEXT, type Span, type SpanContext, SpanKind, trace } from '@opentelemetry/api';

const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
/** The flags that W3C Trace Context defines: sampled, random. */
const FLAGS = 3;

/** The header `traceparent` of W3C Trace Context; undefined if it is not valid. A later version may have more fields. */
function parse(header: unknown): SpanContext | undefined {
  const [, version, traceId, spanId, flags, more] = (typeof header === 'string' && TRACEPARENT.exec(header)) || [];
  if (!traceId || !spanId || !flags || (version === '00' && more)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & FLAGS, isRemote: true };
}

/** Starts a span below the one in the header. Without an SDK it records nothing, and has the ids of the header. */
export function startSpan(name: string, kind: SpanKind, header: unknown, attributes: Attributes = {}): Span {
  const parent = parse(header);
  const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
  return trace.getTracer('tenant-open-platform').startSpan(name, { kind, attributes }, context);
}

/** Undefined without an SDK and without a valid header. */
export function traceparentOf(span: Span): string | undefined {
  const context = span.spanContext();
  if (!trace.isSpanContextValid(context)) return undefined;
  return `00-${context.traceId}-${context.spanId}-0${context.traceFlags & FLAGS}`;
}

export const traceIdOf = (traceparent: string | undefined) => traceparent?.split('-')[1];

type Traced = { subject: string; id: string; traceparent?: string | undefined };

const kinds = { publish: SpanKind.PRODUCER, process: SpanKind.CONSUMER };

/** Each message with a traceparent gets a span of this work, which replaces its traceparent. */
export async function inSpans<Result>(
  what: keyof typeof kinds,
  messages: readonly Traced[],
  work: () => Promise<Result>,
): Promise<Result> {
  const spans = messages.flatMap((message) => {
    const { subject, id, traceparent } = message;
    if (traceparent === undefined) return [];
    const span = startSpan(`${what} ${subject.split('.')[2]}`, kinds[what], traceparent, {
      'messaging.system': 'nats',
      'messaging.destination.name': subject,
      'messaging.message.id': id,
    });
    message.traceparent = traceparentOf(span);
    return [span];
  });
  return work().finally(() => {
    for (const span of spans) span.end();
  });
}
