import { readdir, readFile, rm, writeFile } from 'node:fs/promises';

/**
 * tsup writes all types twice, for ESM and for CommonJS. They are identical, and an ESM declaration may export from a
 * CommonJS declaration: one copy is enough, and saves 210 kB in each installation. Editors read the comments of the
 * declarations: without those in the programs, an installation is 70 kB smaller.
 */
const dist = new URL('../dist/', import.meta.url);
const entryPoints = ['index', 'adapter', 'sign', 'testing', 'webhooks'];

/** A documentation comment, which esbuild prints on lines of its own. */
const COMMENT = /^[ \t]*\/\*\*(?:[^*]|\*(?!\/))*\*\/\n/gm;

for (const file of await readdir(dist)) {
  const path = new URL(file, dist);
  if (file.endsWith('.d.ts')) await rm(path);
  else if (/\.c?js$/.test(file)) await writeFile(path, (await readFile(path, 'utf8')).replace(COMMENT, ''));
}
for (const name of entryPoints) await writeFile(new URL(`${name}.d.ts`, dist), `export * from './${name}.cjs';\n`);
