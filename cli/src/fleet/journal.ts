import { resolve } from 'node:path';
import { UsageError } from '../errors.js';
import type { Invocation } from '../invocation.js';
import { nullIfAbsent } from '../write-file-atomically.js';

/** What all runs of one file agree on: the id of its batch, from which the keys derive. */
export type Journal = {
  batchId: string;
  /** Keeps the id before anything is sent. Fails if another run has just done so. */
  save: () => Promise<void>;
  /** Undoes `save`: nothing was sent. */
  discard: () => Promise<void>;
  /** Every command is accepted. */
  remove: () => Promise<void>;
};

/** A file next to the commands keeps the id until every command is accepted. Then the same commands are a new batch. */
export async function openJournal(invocation: Invocation, from: string, given: string | undefined): Promise<Journal> {
  const { context } = invocation;
  const nothing = async () => {};
  const unkept = { batchId: given ?? crypto.randomUUID(), save: nothing, discard: nothing, remove: nothing };
  if (from === '-') {
    return given === undefined ? { ...unkept, save: async () => invocation.note(`batch ${unkept.batchId}`) } : unkept;
  }
  const path = resolve(context.cwd, `${from}.batch`);
  const known = (await context.fs.readFile(path, 'utf8').catch(nullIfAbsent))?.trim();
  const remove = async () => void (await context.fs.unlink(path).catch(nullIfAbsent));
  if (given !== undefined) return { ...unkept, remove: known === given ? remove : nothing };
  if (known !== undefined) {
    const how = `To send all as new commands, first delete ${from}.batch.`;
    invocation.note(`Continues batch ${known}, which an earlier run has begun. ${how}`);
    return { ...unkept, batchId: known, remove };
  }
  const { batchId } = unkept;
  const save = async () => {
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
      throw new UsageError(explain(from, batchId, error as NodeJS.ErrnoException));
    } finally {
      await context.fs.unlink(temporary).catch(() => {});
    }
  };
  return { batchId, save, discard: remove, remove };
}

/** Nothing was sent. Another id would send the commands of another run a second time. */
function explain(from: string, batchId: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'EEXIST') {
    return `another topctl is sending ${from}, so this one has sent nothing: run this command again only if the other one fails`;
  }
  return `cannot create ${from}.batch: ${message}. Nothing was sent. Without that file, keep the id of the batch yourself, and give it again with every run: --batch-id ${batchId}`;
}
