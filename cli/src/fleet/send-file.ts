import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { CommandCreate } from '@tenant-open-platform/sdk';
import { UsageError } from '../errors.js';
import { parseJsonObject, readArgumentBytes } from '../input/read-json-object.js';
import type { Invocation } from '../invocation.js';
import type { Session } from '../session/session.js';
import { writeFileAtomically } from '../write-file-atomically.js';
import { openJournal } from './journal.js';
import { type Line, refuseUnknownFields, sendBatch } from './send-batch.js';

/** The flags of `commands create-many` with a file, and of `commands create --from`. */
type Flags = { from: string; batch_id?: string | undefined; wait?: true | undefined };

/** Sends the commands of a file. It can be run again after any interruption: no command is created twice. */
export async function sendFile(invocation: Invocation, session: Session, { from, batch_id, wait }: Flags) {
  const { context } = invocation;
  refuseUnknownFields(invocation, wait);
  const isDry = Boolean(invocation.flags.dryRun || invocation.flags.printCurl);
  const journal = await openJournal(invocation, from, isDry ? (batch_id ?? crypto.randomUUID()) : batch_id);
  const { batchId } = journal;
  const bytes = await readArgumentBytes(context, '--from', from === '-' ? from : `@${from}`);
  const lines = linesOf(from, textOf(from, bytes), batchId);
  // Another run that ends meanwhile removes the file with the id: without the id, the same command sends all anew.
  const again = `the same command with --batch-id ${batchId}`;
  if (!isDry) {
    // Before the first request: while it is under way, another run could begin and end.
    await journal.save();
    try {
      // Fails within seconds if the platform cannot be reached. The commands themselves wait for minutes.
      await session.client.me.get();
    } catch (error) {
      await journal.discard();
      throw error;
    }
  }

  const path = `${from}.failed`;
  /** A file that cannot be written or deleted must not hide the results. */
  async function onSent(refused: readonly CommandCreate[]): Promise<string> {
    if (from === '-') return '';
    if (refused.length === 0) {
      await context.fs.unlink(resolve(context.cwd, path)).catch(() => {});
      return '';
    }
    const rest = refused.map((command) => `${JSON.stringify(command)}\n`).join('');
    try {
      await writeFileAtomically(context, path, (file) => file.writeFile(rest));
      return `. The others are in ${path}, with their keys. Correct ${from} and run the same command again: it sends only what was not accepted.`;
    } catch (error) {
      return `. The others are not in a file: ${(error as Error).message}`;
    }
  }

  await sendBatch(invocation, session, { batchId, lines, wait, again, onSent, onAccepted: journal.remove });
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
