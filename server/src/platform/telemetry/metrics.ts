import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** Metrics of one process, in the exposition format of Prometheus. Operations are labelled with their names. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'top_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer, by operation and status.',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  const messages = new Counter({
    name: 'top_bus_messages_total',
    help: 'Messages that came over the bus, by kind, and whether they were taken or refused.',
    labelNames: ['kind', 'outcome'] as const,
    registers: [registry],
  });
  const reports = new Counter({
    name: 'top_command_reports_total',
    help: 'What adapters reported of commands, by what became of it.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    countMessage(kind: string, outcome: 'TAKEN' | 'REFUSED'): void {
      messages.inc({ kind, outcome });
    },
    countReport(outcome: string): void {
      reports.inc({ outcome });
    },
    countRequest(operation: string, status: number, seconds: number): void {
      duration.observe({ operation, status }, seconds);
    },
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
