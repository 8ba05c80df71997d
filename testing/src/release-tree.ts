import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));
const published = ['contract', 'server', 'sdk', 'cli'] as const;
export type Published = (typeof published)[number];

/**
 * Packs the packages as the release workflow does: with their version, their changelog and the address of the
 * repository. Works on a copy in `folder`, because these steps change files. Returns the tarballs.
 */
export async function packRelease(folder: string, repositoryUrl: string): Promise<Record<Published, string>> {
  const tree = join(folder, 'tree');
  copyBuiltTree(tree);
  // Changesets reads the history.
  const git = (...parameters: string[]) => execFileSync('git', parameters, { cwd: tree, stdio: 'pipe' });
  git('init', '--quiet');
  git('add', '.changeset');
  git('-c', 'user.name=release', '-c', 'user.email=release@example.com', 'commit', '--quiet', '-m', 'Before a release');
  execFileSync(join(root, 'node_modules/.bin/changeset'), ['version'], { cwd: tree, stdio: 'pipe' });
  execFileSync(process.execPath, ['scripts/name-repository.mjs', repositoryUrl], { cwd: tree, stdio: 'pipe' });
  const pnpm = join(root, '.tools/node_modules/.bin/pnpm');
  // Their version is part of their code.
  for (const name of ['sdk', 'cli']) execFileSync(pnpm, ['build'], { cwd: join(tree, name), stdio: 'pipe' });
  const packed = published.map(async (name) => {
    const cwd = join(tree, name);
    const tarball = join(folder, `${name}.tgz`);
    await promisify(execFile)(pnpm, ['pack', '--out', tarball], { cwd });
    return [name, tarball];
  });
  return Object.fromEntries(await Promise.all(packed));
}

/** Copies the files of the working copy and what was built. Installed packages are linked. */
function copyBuiltTree(tree: string): void {
  const listed = execFileSync('git', ['-c', 'safe.directory=*', 'ls-files', '-coz', '--exclude-standard'], {
    cwd: root,
  });
  for (const file of listed.toString().split('\0').slice(0, -1)) {
    if (existsSync(join(root, file))) cpSync(join(root, file), join(tree, file));
  }
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  const workspace = join(tree, '.tools/workspace');
  mkdirSync(workspace, { recursive: true });
  for (const name of [...published, 'reference', 'console', 'testing'])
    symlinkSync(join(tree, name), join(workspace, name));
  symlinkSync(join(root, 'reference/node_modules'), join(tree, 'reference/node_modules'));
  // The bill of materials lists whose code is in it.
  cpSync(join(root, 'console/dist'), join(tree, 'console/dist'), { recursive: true });
  for (const name of published) {
    cpSync(join(root, name, 'dist'), join(tree, name, 'dist'), { recursive: true });
    const modules = join(tree, name, 'node_modules');
    mkdirSync(modules);
    for (const entry of readdirSync(join(root, name, 'node_modules'))) {
      const isWorkspace = entry === '@tenant-open-platform';
      symlinkSync(isWorkspace ? workspace : join(root, name, 'node_modules', entry), join(modules, entry));
    }
  }
}
