import { isSafeToRepeat } from '@tenant-open-platform/contract/facts';
import type { Command } from '@tenant-open-platform/sdk';
import { printable } from '../output/printable.js';

/** An adapter may report any code. */
const SHOWN = 20;

/** Counts the commands of a batch that did not succeed, by what became of them. */
export function countUnsuccessful(batchId: string) {
  const outcomes = countOutcomes();
  let safe = 0;
  return {
    add(command: Command) {
      outcomes.add(command);
      // Another batch has created a command whose idempotency key was used before.
      if (command.batch_id === batchId && isSafeToRepeat(command)) safe += 1;
    },
    total: outcomes.total,
    /** Why they did not succeed, and how to send again what is safe to repeat. */
    lines(): string[] {
      if (outcomes.total() === 0) return [];
      const command = `topctl commands create-many --resend ${batchId} --wait`;
      return [
        'did not succeed:',
        ...outcomes.lines().map((line) => `  ${line}`),
        safe === 0
          ? 'None is safe to send again.'
          : `${safe} safe to send again, because no device has them: ${command}`,
      ];
    },
  };
}

/** Counts commands by status and reason. */
export function countOutcomes() {
  const counts = new Map<string, number>();
  const total = () => [...counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    total,
    add(command: Command) {
      const name = nameOf(command);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    /** The most frequent first. */
    lines(): string[] {
      const sorted = [...counts].sort(([, one], [, other]) => other - one);
      const shown = sorted.slice(0, SHOWN).map(([name, count]) => `${count} ${name}`);
      const others = sorted.slice(SHOWN).reduce((sum, [, count]) => sum + count, 0);
      return others > 0 ? [...shown, `${others} with other reasons`] : shown;
    },
  };
}

/** `FAILED UNREACHABLE`, `FAILED DEVICE_FAULT`, `EXPIRED`, `TIMED_OUT UNREACHABLE` if a late report says so. */
function nameOf({ status, adapter_status, late_result, status_reason, completed_at }: Command): string {
  const isUnreachable = [adapter_status, late_result?.adapter_status].includes('UNREACHABLE');
  const words = [
    status,
    ...(completed_at === null ? ['(not final)'] : []),
    ...(isUnreachable ? ['UNREACHABLE'] : []),
    ...(status_reason ? [printable(status_reason.code)] : []),
  ];
  return [...new Set(words)].join(' ');
}
