import { createHash } from 'node:crypto';
import { countOpen, isSafeToRepeat, MAX_PAGE } from '@tenant-open-platform/contract/facts';
import type { Command, CommandSummary } from '@tenant-open-platform/sdk';
import { UsageError } from '../errors.js';
import type { Invocation } from '../invocation.js';
import type { Session } from '../session/session.js';
import { type Line, refuseUnknownFields, sendBatch } from './send-batch.js';
import { countOutcomes } from './unsuccessful.js';

type Flags = { resend: string; wait?: true | undefined };

/**
 * Sends again the commands of a batch that no device has seen, as new commands of another batch. Its id and the keys
 * derive from the old ones. So running it again, also at the same time, creates each command once.
 */
export async function resendBatch(invocation: Invocation, session: Session, { resend, wait }: Flags): Promise<void> {
  refuseUnknownFields(invocation, wait);
  const { commands } = session.client;
  const { counts, total } = await commands.summary({ batch_id: resend });
  const tenant = await session.tenant();
  if (total === 0) throw new UsageError(`tenant ${tenant} has no commands of batch ${resend}`);

  const lines: Line[] = [];
  const safe = countOutcomes();
  const unsafe = { FAILED: 0, TIMED_OUT: 0 };
  const ended = commands.list({
    batch_id: resend,
    status: ['FAILED', 'TIMED_OUT', 'EXPIRED'],
    order: 'asc',
    limit: MAX_PAGE,
  });
  for await (const command of ended) {
    if (isSafeToRepeat(command)) {
      safe.add(command);
      lines.push({ command: repeated(command) });
    } else if (command.status === 'FAILED') unsafe.FAILED += 1;
    else unsafe.TIMED_OUT += 1;
  }
  const batchId = batchOfRepetitions(resend);
  const fresh = lines.length === 0 ? 0 : await countFresh(session, batchId, lines);
  for (const line of [
    ...(lines.length === 0
      ? [`No command of batch ${resend} is safe to send again.`]
      : [`safe to send again: ${safe.lines().join(', ')}`]),
    ...leftOut({ ...counts, ...unsafe }),
    ...(fresh < lines.length ? sentBefore(lines.length - fresh, fresh, batchId) : []),
  ]) {
    invocation.note(line);
  }
  if (lines.length === 0) return;
  if (fresh > 0) {
    const what = fresh === 1 ? '1 command' : `${fresh} commands`;
    await invocation.confirm(`Send ${what} of batch ${resend} of tenant ${tenant} again?`);
  }
  await sendBatch(invocation, session, { batchId, lines, wait, again: 'the same command' });
}

const repeated = (command: Command): Line['command'] => {
  const { command_id, vendor, device_id, command_type, payload, timeout_seconds } = command;
  return { vendor, device_id, command_type, payload, timeout_seconds, idempotency_key: `again-${command_id}` };
};

/** A UUID version 8, which may be made of any hash. */
function batchOfRepetitions(batchId: string): string {
  const hash = createHash('sha256').update(`again ${batchId.toLowerCase()}`).digest('hex');
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
}

/** How many of the commands no run has sent again before. */
async function countFresh({ client }: Session, batchId: string, lines: readonly Line[]): Promise<number> {
  const sent = new Set<string>();
  const before = client.commands.list({ batch_id: batchId, limit: MAX_PAGE });
  for await (const { idempotency_key } of before) sent.add(idempotency_key);
  return lines.filter(({ command }) => !sent.has(command.idempotency_key)).length;
}

function sentBefore(count: number, fresh: number, batchId: string): string[] {
  const before = `${count} of these ${count === 1 ? 'was' : 'were'} sent again before, as batch ${batchId}.`;
  const how = `To send again what failed of that batch: topctl commands create-many --resend ${batchId} --wait`;
  return fresh > 0 ? [before] : [before, how];
}

/** Why the others are not sent again. */
function leftOut(counts: CommandSummary['counts']): string[] {
  const why: [count: number, what: string][] = [
    [counts.TIMED_OUT, 'TIMED_OUT: the device may have executed the command'],
    [counts.FAILED, 'FAILED: the device or the adapter has tried'],
    [counts.REJECTED, 'REJECTED: the device or the adapter has refused'],
    [counts.UNSUPPORTED, 'UNSUPPORTED: the adapter does not know the command'],
    [counts.CANCELED, 'CANCELED by a caller'],
    [countOpen(counts), 'not final yet'],
  ];
  const lines = why.filter(([count]) => count > 0).map(([count, what]) => `  ${count} ${what}`);
  return lines.length > 0 ? ['left out:', ...lines] : [];
}
