import { pino } from 'pino';
import { createMetrics } from '../../src/foundation/telemetry/metrics.js';
import { createWatchdog } from '../../src/foundation/telemetry/watchdog.js';
import { createPacer } from '../../src/pipeline/bus/take-message.js';

/** What background work needs, with a logger and metrics that discard everything. */
export function silent() {
  const watchdog = createWatchdog();
  return {
    logger: pino({ level: 'silent' }),
    metrics: createMetrics({ watchdog }),
    watchdog,
    pacer: createPacer(),
    isNearlyFull: () => false,
    now: () => 'infinity',
  };
}
