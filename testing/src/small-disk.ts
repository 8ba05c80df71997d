import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { atEnd, temporaryFolder } from './at-end.js';

const CHUNK = Buffer.alloc(65_536, 1);

const asRoot = (program: string, args: string[]) =>
  process.getuid?.() === 0 ? execFileSync(program, args) : execFileSync('sudo', ['-n', program, ...args]);

/** A disk of its own in memory, for the calling test or file (see `atEnd`). It needs root, or sudo without password. */
export function smallDisk(megabytes: number) {
  const folder = temporaryFolder();
  asRoot('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=1777`, 'tmpfs', folder]);
  atEnd(() => asRoot('umount', ['--lazy', folder]));
  const filler = join(folder, 'filler');
  return {
    folder,
    /** Until no byte is left. Returns how to free the space. */
    fill(): () => void {
      const file = openSync(filler, 'w');
      try {
        for (;;) writeSync(file, CHUNK);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
      return () => rmSync(filler);
    },
  };
}
