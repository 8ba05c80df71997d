import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryPath } from './temporary-path.js';

/** A built copy of the repository. */
export type Build = { name: string; root: string; main: string };

const here = fileURLToPath(new URL('../', import.meta.url));
const buildIn = (name: string, root: string): Build => ({ name, root, main: join(root, 'server/dist/main.js') });

export const thisBuild: Build = buildIn('platform', here);

const git = (...args: string[]) => execFileSync('git', args, { cwd: here, encoding: 'utf8' }).trim();

export const commitOfThisBuild = (): string =>
  git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', '--', ':!bench') ? ' with changes' : '');

/** Checks the ref out into a temporary worktree, installs from its lockfile and builds it. */
export function buildRef(ref: string): Build {
  const root = temporaryPath('worktree');
  const commit = git('rev-parse', '--short', `${ref}^{commit}`);
  git('worktree', 'add', '--quiet', '--detach', root, commit);
  // Runs before its folder is removed.
  process.prependOnceListener('exit', () => git('worktree', 'remove', '--force', root));
  prepare(root);
  return buildIn(ref === commit ? commit : `${ref} (${commit})`, root);
}

/** Installs and builds what changed, as `npm start` does first. */
export function prepare(root: string): void {
  execFileSync(process.execPath, ['scripts/prepare.mjs'], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
}
