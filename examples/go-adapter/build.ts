import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { temporaryFolder } from '@tenant-open-platform/testing';

export const isGoThere = spawnSync('go', ['version']).status === 0;
if (!isGoThere) console.log('Not on this machine, so not run: Go');

/** Returns the path of the program. */
export function build(): string {
  const program = join(temporaryFolder(), 'go-adapter');
  execFileSync('go', ['build', '-o', program, '.'], { cwd: import.meta.dirname, stdio: 'pipe' });
  return program;
}
