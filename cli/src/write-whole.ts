import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Context } from './context.js';
import { CancelledError, UsageError } from './errors.js';

/**
 * Writes beside the file and then puts it in its place: nobody sees a part of it, and a failure or a signal leaves what
 * was there. It keeps its mode, and a link to it stays a link. What cannot be written is not fetched: a body that nobody
 * reads would keep the process waiting for the store.
 */
export async function writeWhole<T>(
  context: Context,
  path: string,
  write: (file: FileHandle, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { fs, cwd } = context;
  return interruptible(context, async (signal) => {
    const { target, temporary, file, discard } = await openBeside(fs, resolve(cwd, path)).catch((error: Error) => {
      throw new UsageError(`cannot write ${path}: ${error.message}`);
    });
    try {
      const result = await write(file, signal);
      await file.sync();
      await file.close();
      await fs.rename(temporary, target);
      return result;
    } catch (error) {
      await discard();
      throw error;
    }
  });
}

async function openBeside(fs: Context['fs'], path: string) {
  const target = await behindLinks(fs, path);
  const temporary = `${target}.${crypto.randomUUID()}.part`;
  const found = await fs.stat(target).catch(nullIfAbsent);
  const mode = found ? found.mode & 0o777 : undefined;
  const file = await fs.open(temporary, 'wx', mode);
  /** Its own failures must not hide the one that it follows. */
  const discard = async () => {
    await file.close().catch(() => {});
    await fs.unlink(temporary).catch(() => {});
  };
  try {
    // The umask took away of it.
    if (mode !== undefined) await file.chmod(mode);
  } catch (error) {
    await discard();
    throw error;
  }
  return { target, temporary, file, discard };
}

/** That a file cannot be looked at does not mean that none is there. */
export function nullIfAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/** Where a link leads to in the end, be there a file or not. */
async function behindLinks(fs: Context['fs'], path: string): Promise<string> {
  try {
    return await fs.realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const folder = await fs.realpath(dirname(path));
    const link = await fs.readlink(path).catch(() => null);
    return link === null ? join(folder, basename(path)) : behindLinks(fs, resolve(folder, link));
  }
}

/** A signal aborts the work, which can then tidy up; a second one ends the process at once. */
async function interruptible<T>({ signals }: Context, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort(new CancelledError('cancelled'));
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const name of names) signals.once(name, abort);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of names) signals.off(name, abort);
  }
}
