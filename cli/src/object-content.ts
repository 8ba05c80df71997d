import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { type Context, readStdinBytes } from './context.js';
import { UsageError } from './errors.js';
import { nullIfAbsent } from './write-file-atomically.js';

/** The content of a file, or of stdin if the path is `-`. */
export async function openContent(context: Context, path: string): Promise<Blob> {
  if (path === '-') return new Blob([await readStdinBytes(context)]);
  const { cwd, fs, openAsBlob } = context;
  try {
    // openAsBlob would also accept folders and devices, and gives no reason for a failure.
    const file = await fs.open(resolve(cwd, path));
    const isFile = (await file.stat()).isFile();
    await file.close();
    if (!isFile) throw new Error('it is not a file');
    return await openAsBlob(resolve(cwd, path));
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${(error as Error).message}`);
  }
}

/** Reads the content in chunks, because a file may be larger than memory. */
export async function checksumOf(content: Blob): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of content.stream()) hash.update(chunk);
  return hash.digest('base64');
}

/** The existing file that a download would replace, by the name that the user gave and the target of its links. */
export async function findExisting({ fs, cwd }: Context, path: string): Promise<string | null> {
  const absolute = resolve(cwd, path);
  const look = async () => {
    const found = await fs.stat(absolute).catch(nullIfAbsent);
    return found && { isFile: found.isFile(), target: await fs.realpath(absolute) };
  };
  const found = await look().catch((error: Error) => {
    throw new UsageError(`cannot write ${path}: ${error.message}`);
  });
  if (!found) return null;
  if (!found.isFile) throw new UsageError(`${path} is not a file; use - for stdout`);
  return found.target === absolute ? path : `${found.target}, which ${path} links to`;
}

export async function copyToStdout({ stdout }: Context, body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of body) if (!stdout.write(chunk)) await once(stdout, 'drain');
}
