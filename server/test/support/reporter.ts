import { setTimeout as delay } from 'node:timers/promises';
import { createCommandReporter, type Report, type ReportOutcome } from '../../src/pipeline/reports.js';

const AGAIN_AFTER_MS = 100;

/** As the bus does, it delivers a report again while another transaction holds the log of its slot. */
export function createRedeliveringReporter(...options: Parameters<typeof createCommandReporter>) {
  const report = createCommandReporter(...options);
  return async (given: Report): Promise<ReportOutcome> => {
    for (;;) {
      const outcome = await report(given);
      if (outcome !== 'BUSY') return outcome;
      await delay(AGAIN_AFTER_MS);
    }
  };
}
