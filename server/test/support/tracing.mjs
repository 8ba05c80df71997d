import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

/** Loaded by `node --import` into a server that a test has started: sends each span that has ended to the test. */
const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { traceId, spanId } = span.spanContext();
      const { name, kind, parentSpanContext } = span;
      process.send?.({ type: 'span', span: { name, kind, traceId, spanId, parentId: parentSpanContext?.spanId } });
    }
    done({ code: 0 });
  },
  async shutdown() {},
};
const spanProcessors = [new SimpleSpanProcessor(exporter)];
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
