import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const server = fileURLToPath(new URL('..', import.meta.url));

/** The folder of the package that an installed file belongs to. */
const packageOf = (file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];

/** Every package of others whose code is in `dist`, by the list of tsup, and those of the pages. */
export function bundledPackages() {
  const { inputs } = JSON.parse(readFileSync(join(server, 'dist/metafile-esm.json'), 'utf8'));
  const { resolve } = createRequire(join(server, '../reference/package.json'));
  const files = Object.keys(inputs).map((input) => join(server, input));
  files.push(resolve('@scalar/api-reference'), resolve('minisearch'));
  const folders = new Set(files.map(packageOf).filter(Boolean));
  return [...folders].map((folder) => ({ folder, ...manifestOf(folder) }));
}

export function manifestOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { name, version, license };
}
