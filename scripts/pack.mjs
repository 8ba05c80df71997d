import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runPnpm } from './bring-pnpm.mjs';
import { prepare } from './prepare.mjs';
import { fail, root } from './root.mjs';

/** Packs what npm gets, one tarball a package, into `packed` or the given folder. Builds first what changed. */
const folder = resolve(root, process.argv[2] ?? 'packed');
await prepare();
mkdirSync(folder, { recursive: true });
for (const name of ['contract', 'sdk', 'server', 'cli']) {
  const tarball = join(folder, `${name}.tgz`);
  rmSync(tarball, { force: true });
  const { ok, output } = runPnpm('--dir', join(root, name), 'pack', '--out', tarball);
  if (!ok) fail(output.trim());
  console.log(tarball);
}
