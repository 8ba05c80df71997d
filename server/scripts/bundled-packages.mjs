import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundledInto } from '../../scripts/bundled-packages.mjs';

export const server = fileURLToPath(new URL('..', import.meta.url));

/** Every package of others whose code is in `dist`, by the list of tsup, and those of the pages. */
export function bundledPackages() {
  const { resolve } = createRequire(join(server, '../reference/package.json'));
  const console = join(server, '../console');
  const ofConsole = JSON.parse(readFileSync(join(console, 'dist/sources.json'), 'utf8')).map((file) =>
    join(console, file),
  );
  return bundledInto(server, [resolve('@scalar/api-reference'), resolve('minisearch'), ...ofConsole]);
}
