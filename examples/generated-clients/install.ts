import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** The folder of their package.json and package-lock.json. */
export const generators = join(import.meta.dirname, 'generators');

/** A folder with the generators, as package-lock.json pins them, installed on first use. */
export async function install(): Promise<string> {
  const lock = createHash('sha256')
    .update(readFileSync(join(generators, 'package-lock.json')))
    .digest('hex');
  const folder = join(import.meta.dirname, 'node_modules/.generators', lock.slice(0, 12));
  // npm writes this file last.
  if (!existsSync(join(folder, 'node_modules/.package-lock.json'))) {
    mkdirSync(folder, { recursive: true });
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(generators, file), join(folder, file));
    await execute('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
  }
  return folder;
}
