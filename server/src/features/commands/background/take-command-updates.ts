import type { CommandUpdate } from '@tenant-open-platform/contract/bus';
import type { Handled, MessageSource } from '../../../platform/bus/take-message.js';
import type { Metrics } from '../../../platform/telemetry/metrics.js';
import type { Report, ReportOutcome } from './report-commands.js';

const MAX_RESULT_BYTES = 32_768;

const refusals: Partial<Record<ReportOutcome, string>> = {
  UNKNOWN: 'The tenant of the subject has no such command for this vendor.',
  TOO_EARLY: 'The command is not dispatched yet.',
};

export const takeCommandUpdate =
  (report: (report: Report) => Promise<ReportOutcome>, metrics: Metrics) =>
  async (update: CommandUpdate, sender: MessageSource): Promise<Handled> => {
    if (update.result !== undefined && Buffer.byteLength(JSON.stringify(update.result)) > MAX_RESULT_BYTES) {
      return `The result is larger than ${MAX_RESULT_BYTES} bytes.`;
    }
    const outcome = await report({ ...sender, update });
    metrics.countReport(outcome);
    return refusals[outcome] ?? (outcome === 'CHANGED' ? 'ADVANCED' : 'DONE');
  };
