import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Bus, Witness } from './bus.js';

/** The witness of a bus that has no disk: a file beside the embedded database. Without a folder it is in memory. */
export function witnessFile(folder: string | undefined): Bus['witness'] {
  let inMemory: Witness | null = null;
  if (folder === undefined) {
    return {
      read: async () => inMemory,
      async write(witness) {
        inMemory = witness;
      },
    };
  }
  const file = path.join(folder, 'witness.json');
  return {
    async read() {
      const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return '';
        throw error;
      });
      // Empty after a power cut.
      return text === '' ? null : (JSON.parse(text) as Witness);
    },
    async write(witness) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(`${file}.tmp`, JSON.stringify(witness), { mode: 0o600 });
      await rename(`${file}.tmp`, file);
    },
  };
}
