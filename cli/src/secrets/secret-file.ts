import { resolve } from 'node:path';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';

/**
 * Creates the file before the secret exists. If the path cannot be written, the command is refused before the only copy
 * of the secret can be lost.
 */
export async function createSecretFile({ fs, cwd }: Context, path: string) {
  const absolute = resolve(cwd, path);
  const file = await fs.open(absolute, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      error.code === 'EEXIST'
        ? `${path} exists; topctl never overwrites the file of a secret`
        : `cannot write ${path}: ${error.message}`,
    );
  });
  return {
    async write(text: string): Promise<void> {
      await file.writeFile(text);
      await file.sync();
      await file.close();
    },
    async discard(): Promise<void> {
      await file.close();
      await fs.unlink(absolute);
    },
  };
}

/** Creates all of the files, by path and text, or none of them. */
export async function createSecretFiles(context: Context, texts: Record<string, string>): Promise<void> {
  const files: Awaited<ReturnType<typeof createSecretFile>>[] = [];
  try {
    for (const path of Object.keys(texts)) files.push(await createSecretFile(context, path));
    for (const [index, text] of Object.values(texts).entries()) await files[index]?.write(`${text}\n`);
  } catch (error) {
    for (const file of files) await file.discard();
    throw error;
  }
}
