import { resolve } from 'node:path';
import type { Context } from './context.js';
import { UsageError } from './errors.js';

/**
 * The file is made before the secret exists, so that a path that cannot be written refuses the command instead of
 * losing the only copy of a secret.
 */
export async function reserveSecretFile({ fs, cwd }: Context, path: string) {
  const absolute = resolve(cwd, path);
  const file = await fs.open(absolute, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      error.code === 'EEXIST'
        ? `--secret-file ${path} exists; it is never overwritten`
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
