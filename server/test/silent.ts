import { pino } from 'pino';
import { createMetrics } from '../src/platform/telemetry/metrics.js';

/** What background work needs to say what it does, to nobody. */
export const silent = () => ({
  logger: pino({ level: 'silent' }),
  metrics: createMetrics({ readBacklog: async () => ({ rows: 0, oldestSeconds: 0 }) }),
});
