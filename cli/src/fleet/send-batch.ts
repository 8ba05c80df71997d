import { countOpen } from '@tenant-open-platform/contract/facts';
import type {
  CommandCreate,
  CommandOutcome,
  CommandResult,
  CommandSummary,
  CreatedCommands,
} from '@tenant-open-platform/sdk';
import { CancelledError, UnsuccessfulError } from '../errors.js';
import { interruptible } from '../interruptible.js';
import type { Invocation } from '../invocation.js';
import { messageLines } from '../output/message.js';
import { valueAt } from '../output/pick-fields.js';
import { printable } from '../output/printable.js';
import { progressBar } from '../output/progress-bar.js';
import { jsonLine } from '../output/render.js';
import { renderLine } from '../output/table.js';
import { written } from '../output/written.js';
import type { Session } from '../session/session.js';
import { countUnsuccessful } from './unsuccessful.js';

/** A command, and the number of its line if it is in a file. */
export type Line = { number?: number; command: CommandCreate & { idempotency_key: string } };

export type Batch = {
  batchId: string;
  lines: readonly Line[];
  wait: true | undefined;
  /** How to continue after an interruption. */
  again: string;
  /** Everything is sent. Returns a remark on the commands that were not accepted. */
  onSent?: (refused: readonly CommandCreate[]) => Promise<string>;
  /** Every command is accepted, and every result is written. */
  onAccepted?: () => Promise<void>;
};

const DRAWN_EVERY = 50;

/** The fields of a printed result, and those of an outcome besides. */
const RESULT = [
  'line',
  'idempotency_key',
  'device_id',
  'command_id',
  'status',
  'accepted_at',
  'idempotent_replayed',
  'error',
];
const OUTCOME = ['status_reason', 'result', 'completed_at'];

export const refuseUnknownFields = (invocation: Invocation, wait: true | undefined) =>
  invocation.refuseUnknownFields(wait ? [...RESULT, ...OUTCOME] : RESULT);

/** Sends commands and prints what becomes of each. Fails if one was not accepted or did not succeed. */
export async function sendBatch(
  invocation: Invocation,
  { client }: Session,
  { batchId, lines, wait, again, onSent, onAccepted }: Batch,
): Promise<void> {
  const { context } = invocation;
  const { fields } = invocation.flags;
  const bar = progressBar(context);
  const refused: CommandCreate[] = [];
  const unsuccessful = countUnsuccessful(batchId);
  invocation.howToRepeat = () => again;

  const print = (result: CommandResult | CommandOutcome) => {
    const line = lines[result.index]?.number;
    const { idempotency_key, device_id } = result.command;
    const described = { line, idempotency_key, device_id, ...describe(result) };
    bar.wipe();
    if (invocation.format === 'id') {
      if (result.accepted) context.stdout.write(`${result.accepted.command_id}\n`);
    } else if (invocation.format !== 'table') {
      context.stdout.write(jsonLine(described, fields));
    } else if (result.error || ('outcome' in result && result.outcome.status !== 'SUCCEEDED')) {
      const place = line === undefined ? device_id : `line ${line}, ${device_id}`;
      const text = fields
        ? renderLine(
            context,
            fields.map((path) => valueAt(described, path)),
          )
        : messageLines(context.stdout, printable(`${place}: ${problemOf(result)}`));
      context.stdout.write(`${text}\n`);
    }
  };

  const onResult = (result: CommandResult) => {
    if (result.error) refused.push(result.command);
    if (result.error || !wait) print(result);
    const done = result.index + 1;
    if (done % DRAWN_EVERY === 0 || done === lines.length) bar.count(done, lines.length, 'sent');
  };

  async function follow(created: CreatedCommands, signal: AbortSignal): Promise<void> {
    const onProgress = ({ counts, total }: CommandSummary) => bar.count(total - countOpen(counts), total, 'final');
    for await (const result of client.commands.outcomes(created, { signal, onProgress })) {
      if (result.outcome.status !== 'SUCCEEDED') unsuccessful.add(result.outcome);
      print(result);
    }
  }

  let remark = '';
  const { results } = await interruptible(context, async (signal) => {
    try {
      const commands = lines.map(({ command }) => command);
      const created = await client.commands.createMany(commands, { batchId, signal, onResult });
      remark = (await onSent?.(refused)) ?? '';
      if (wait) await follow(created, signal);
      return created;
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new CancelledError(`cancelled; to continue: ${again}`);
    } finally {
      bar.wipe();
    }
  });

  const replays = results.filter(({ accepted }) => accepted?.idempotent_replayed).length;
  if (replays > 0) invocation.note(`${replays} were accepted by an earlier run; nothing new was created for these.`);
  const accepted = results.length - refused.length;
  const facts = [
    `batch ${batchId}: ${accepted} of ${lines.length} accepted`,
    ...(wait ? [`${accepted - unsuccessful.total()} succeeded`] : []),
  ].join(', ');
  for (const line of unsuccessful.lines()) invocation.note(line);
  // If the output was lost, the caller runs the command again: it must find the same keys.
  await written(context);
  if (refused.length === 0) await onAccepted?.();
  if (refused.length + unsuccessful.total() === 0) return invocation.note(facts);
  throw new UnsuccessfulError(facts + remark);
}

function describe(result: CommandResult | CommandOutcome): object {
  if (result.error) {
    const { name, code = name, details } = result.error as Error & { code?: string; details?: object };
    return { error: { code, message: result.error.reason, details } };
  }
  if (!('outcome' in result)) {
    const { request_id: _, ...accepted } = result.accepted;
    return accepted;
  }
  const { command_id, status, status_reason, result: answered, accepted_at, completed_at } = result.outcome;
  return { command_id, status, status_reason, result: answered, accepted_at, completed_at };
}

function problemOf(result: CommandResult | CommandOutcome): string {
  if (result.error) return result.error.reason;
  if (!('outcome' in result)) return 'accepted';
  const { command_id, status, status_reason } = result.outcome;
  return `${command_id} is ${status}${status_reason ? `: ${status_reason.message}` : ''}`;
}
