import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { createMetrics } from '../../src/platform/telemetry/metrics.js';
import { createWatchdog } from '../../src/platform/telemetry/watchdog.js';
import { createPacer } from '../../src/platform/waiting/pacer.js';

/** What background work needs, with a logger and metrics that discard everything. */
export function silent() {
  const watchdog = createWatchdog();
  return {
    logger: pino({ level: 'silent' }),
    metrics: createMetrics({
      readBacklog: async () => ({ rows: 0, oldestSeconds: 0, events: 0, oldestEventSeconds: 0 }),
      watchdog,
    }),
    watchdog,
    pacer: createPacer(),
    isNearlyFull: () => false,
    now: () => sql`least(now(), ${'infinity'}::timestamptz)`,
  };
}
