import { readdir, rm, writeFile } from 'node:fs/promises';

/**
 * tsup writes all types twice, for ESM and for CommonJS. They are identical, and an ESM declaration may export from a
 * CommonJS declaration: one copy is enough, and saves 120 kB in each installation.
 */
const dist = new URL('../dist/', import.meta.url);
const entryPoints = ['index', 'adapter', 'sign', 'testing', 'webhooks'];

for (const file of await readdir(dist)) {
  if (file.endsWith('.d.ts')) await rm(new URL(file, dist));
}
for (const name of entryPoints) await writeFile(new URL(`${name}.d.ts`, dist), `export * from './${name}.cjs';\n`);
