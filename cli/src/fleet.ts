import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type {
  CommandCreate,
  CommandOutcome,
  CommandResult,
  CommandSummary,
  CreatedCommands,
} from '@tenant-open-platform/sdk';
import { CancelledError, UnsuccessfulError, UsageError } from './errors.js';
import { parseJsonObject, readArgumentBytes } from './input/read-json-object.js';
import { interruptible } from './interruptible.js';
import type { Invocation } from './invocation.js';
import { messageLines } from './output/message.js';
import { valueAt } from './output/pick-fields.js';
import { printable } from './output/printable.js';
import { progressBar } from './output/progress-bar.js';
import { jsonLine } from './output/render.js';
import { renderLine } from './output/table.js';
import { written } from './output/written.js';
import type { Session } from './session/session.js';
import { nullIfAbsent, writeFileAtomically } from './write-file-atomically.js';

/** The flags of `commands create-many`, and of `commands create --from`. */
export type Fleet = { from: string; batch_id?: string | undefined; wait?: true | undefined };

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

/** A line of the file, and its command. */
type Line = { number: number; command: CommandCreate };

/** Sends the commands of a file. It can be run again after any interruption: no command is created twice. */
export async function sendFleet(invocation: Invocation, { client }: Session, { from, batch_id, wait }: Fleet) {
  const { context } = invocation;
  const { fields } = invocation.flags;
  invocation.refuseUnknownFields(wait ? [...RESULT, ...OUTCOME] : RESULT);
  const isDry = Boolean(invocation.flags.dryRun || invocation.flags.printCurl);
  const bar = progressBar(context);
  const journal = await openJournal(invocation, from, isDry ? (batch_id ?? crypto.randomUUID()) : batch_id);
  const bytes = await readArgumentBytes(context, '--from', from === '-' ? from : `@${from}`);
  const lines = linesOf(from, textOf(from, bytes), journal.batchId);
  const again = `the same command${journal.path ? '' : ` with --batch-id ${journal.batchId}`}`;
  invocation.howToRepeat = () => again;
  // Fails within seconds if the platform cannot be reached. The commands themselves wait for minutes.
  if (!isDry) await client.me.get();
  await journal.save();
  const failed: CommandCreate[] = [];
  let unsuccessful = 0;

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
      const text = fields
        ? renderLine(
            context,
            fields.map((path) => valueAt(described, path)),
          )
        : messageLines(context.stdout, printable(`line ${line}, ${device_id}: ${problemOf(result)}`));
      context.stdout.write(`${text}\n`);
    }
  };

  const onResult = (result: CommandResult) => {
    if (result.error) failed.push(result.command);
    if (result.error || !wait) print(result);
    const done = result.index + 1;
    if (done % DRAWN_EVERY === 0 || done === lines.length) bar.count(done, lines.length, 'sent');
  };

  async function follow(created: CreatedCommands, signal: AbortSignal): Promise<void> {
    const onProgress = ({ counts, total }: CommandSummary) =>
      bar.count(total - counts.ACCEPTED - counts.DISPATCHED, total, 'final');
    for await (const result of client.commands.outcomes(created, { signal, onProgress })) {
      if (result.outcome.status !== 'SUCCEEDED') unsuccessful += 1;
      print(result);
    }
  }

  const path = `${from}.failed`;
  let hint = '';
  /** A file that cannot be written or deleted must not hide the results. */
  async function saveFailed(): Promise<void> {
    if (from === '-') return;
    if (failed.length === 0) return context.fs.unlink(resolve(context.cwd, path)).catch(() => {});
    const rest = failed.map((command) => `${JSON.stringify(command)}\n`).join('');
    try {
      await writeFileAtomically(context, path, (file) => file.writeFile(rest));
      hint = `. The others are in ${path}, with their keys. Correct ${from} and run the same command again: it sends only what was not accepted.`;
    } catch (error) {
      hint = `. The others are not in a file: ${(error as Error).message}`;
    }
  }

  const { results } = await interruptible(context, async (signal) => {
    try {
      const commands = lines.map(({ command }) => command);
      const created = await client.commands.createMany(commands, { batchId: journal.batchId, signal, onResult });
      await saveFailed();
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
  const accepted = results.length - failed.length;
  const facts = [
    `batch ${journal.batchId}: ${accepted} of ${lines.length} accepted`,
    ...(wait ? [`${accepted - unsuccessful} succeeded`] : []),
  ].join(', ');
  // If the output was lost, the caller runs the command again: the file keeps its keys.
  await written(context);
  if (failed.length === 0) await journal.remove();
  if (failed.length + unsuccessful === 0) return invocation.note(facts);
  throw new UnsuccessfulError(facts + hint);
}

/**
 * The id of the batch that the file is sent as, from which the keys derive. A file keeps it until every command is
 * accepted, so another run finds the same keys. Afterwards, the same file is a new batch.
 */
async function openJournal(invocation: Invocation, from: string, given: string | undefined) {
  const { context } = invocation;
  const batchId = given ?? crypto.randomUUID();
  const save = async () => {};
  if (given !== undefined) return { batchId, path: null, save, remove: save };
  if (from === '-') {
    return { batchId, path: null, save: async () => invocation.note(`batch ${batchId}`), remove: save };
  }
  const path = resolve(context.cwd, `${from}.batch`);
  const remove = () => context.fs.unlink(path).catch(nullIfAbsent);
  const known = await context.fs.readFile(path, 'utf8').catch(nullIfAbsent);
  if (known !== null) {
    invocation.note(`Continues batch ${known.trim()}. To send all as new commands, first delete ${from}.batch.`);
    return { batchId: known.trim(), path, save, remove };
  }
  const create = async () => {
    const temporary = `${path}.${batchId}.part`;
    try {
      const file = await context.fs.open(temporary, 'wx');
      try {
        await file.writeFile(`${batchId}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      // Of two runs at the same time only one may send the file. The link is never to a part of the id.
      await context.fs.link(temporary, path);
    } catch (error) {
      throw new UsageError(explainJournal(from, batchId, error as NodeJS.ErrnoException));
    } finally {
      await context.fs.unlink(temporary).catch(() => {});
    }
  };
  return { batchId, path, save: create, remove };
}

/** Nothing was sent. Another id would send the commands of another run a second time. */
function explainJournal(from: string, batchId: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'EEXIST') {
    return `another topctl has just begun to send ${from}; this one has sent nothing. Wait until the other one has ended. If ${from}.batch is still there then, run this command again: it continues. If it is gone, every command is accepted: do not run it again.`;
  }
  return `cannot create ${from}.batch: ${message}. Nothing was sent. Without that file, keep the id of the batch yourself, and give it again with every run: --batch-id ${batchId}`;
}

/** Decoding would replace other bytes, and the devices would get other text. */
function textOf(from: string, bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const lines = bytes.toString('latin1').split('\n');
  const index = lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')));
  throw new UsageError(`line ${index + 1} of ${from} is not UTF-8`);
}

/** A command without an idempotency key gets one that derives from the batch and the line: every run makes the same. */
function linesOf(from: string, text: string, batchId: string): Line[] {
  const seen = new Map<string, number>();
  const lines = text.split('\n').flatMap((content, index): Line[] => {
    const line = content.trim();
    if (line === '') return [];
    const command = parseJsonObject(`line ${index + 1} of ${from}`, Buffer.from(line)) as unknown as CommandCreate;
    const occurrence = (seen.get(line) ?? 0) + 1;
    seen.set(line, occurrence);
    const derived = createHash('sha256').update(`${batchId} ${occurrence} ${line}`).digest('base64url');
    return [{ number: index + 1, command: { ...command, idempotency_key: command.idempotency_key ?? derived } }];
  });
  if (lines.length === 0) throw new UsageError(`${from} has no commands`);
  return lines;
}

function describe(result: CommandResult | CommandOutcome): object {
  if (result.error) {
    const { name, code = name, details } = result.error as Error & { code?: string; details?: object };
    return { error: { code, message: messageOf(result.error), details } };
  }
  if (!('outcome' in result)) {
    const { request_id: _, ...accepted } = result.accepted;
    return accepted;
  }
  const { command_id, status, status_reason, result: answered, accepted_at, completed_at } = result.outcome;
  return { command_id, status, status_reason, result: answered, accepted_at, completed_at };
}

/** The person knows which command was run. */
const messageOf = ({ message }: Error) => message.replace(/^commands\.createMany: /, '');

function problemOf(result: CommandResult | CommandOutcome): string {
  if (result.error) return messageOf(result.error);
  if (!('outcome' in result)) return 'accepted';
  const { command_id, status, status_reason } = result.outcome;
  return `${command_id} is ${status}${status_reason ? `: ${status_reason.message}` : ''}`;
}
