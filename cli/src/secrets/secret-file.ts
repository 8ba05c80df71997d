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
        ? `--secret-file ${path} exists; topctl never overwrites it`
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
