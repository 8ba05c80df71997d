import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Bus } from './bus.js';

/** The witness of a bus that has no disk: a file beside the embedded database. Without a folder it is in memory. */
export function witnessFile(folder: string | undefined): Bus['witness'] {
  if (folder === undefined) {
    let kept: string | null = null;
    return {
      read: async () => kept,
      async write(text) {
        kept = text;
      },
    };
  }
  const file = path.join(folder, 'witness.json');
  return {
    read: () =>
      readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      }),
    async write(text) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(`${file}.tmp`, text, { mode: 0o600 });
      await rename(`${file}.tmp`, file);
    },
  };
}
