import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Context } from './context.js';
import { UsageError } from './errors.js';
import { interruptible } from './interruptible.js';

/**
 * Writes a temporary file next to `path` and renames it to `path`. Readers see the old or the new content, never a part
 * of it, and a failure or a signal leaves the old file. A link at `path` stays a link. The file gets `mode`; by default
 * it keeps its current mode. `write` is called once the file is open, so that nothing is fetched for a file that cannot
 * be written: an unread response body would keep the connection to the store, and with it the process, open.
 */
export async function writeFileAtomically<T>(
  context: Context,
  path: string,
  write: (file: FileHandle, signal: AbortSignal) => Promise<T>,
  { mode }: { mode?: number } = {},
): Promise<T> {
  const { fs, cwd } = context;
  return interruptible(context, async (signal) => {
    const { target, temporary, file, discard } = await openBeside(fs, resolve(cwd, path), mode).catch(
      (error: Error) => {
        throw new UsageError(`cannot write ${path}: ${error.message}`);
      },
    );
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

async function openBeside(fs: Context['fs'], path: string, wantedMode: number | undefined) {
  const target = await followLinks(fs, path);
  const temporary = `${target}.${crypto.randomUUID()}.part`;
  const existing = await fs.stat(target).catch(nullIfAbsent);
  const mode = wantedMode ?? (existing ? existing.mode & 0o777 : undefined);
  const file = await fs.open(temporary, 'wx', mode);
  /** Failures of the cleanup must not hide the original failure. */
  const discard = async () => {
    await file.close().catch(() => {});
    await fs.unlink(temporary).catch(() => {});
  };
  try {
    // open() has applied the umask to the mode.
    if (mode !== undefined) await file.chmod(mode);
  } catch (error) {
    await discard();
    throw error;
  }
  return { target, temporary, file, discard };
}

/** Only ENOENT means that there is no file. Any other error, such as a missing permission, is thrown. */
export function nullIfAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/** The path at the end of a chain of links, whether a file exists there or not. */
async function followLinks(fs: Context['fs'], path: string): Promise<string> {
  try {
    return await fs.realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const folder = await fs.realpath(dirname(path));
    const link = await fs.readlink(path).catch(() => null);
    return link === null ? join(folder, basename(path)) : followLinks(fs, resolve(folder, link));
  }
}
