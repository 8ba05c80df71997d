import { readdir, readFile, rm, writeFile } from 'node:fs/promises';

/**
 * tsup writes all types twice, for ESM and for CommonJS. They are identical, and an ESM declaration may export from a
 * CommonJS declaration: one copy is enough, and saves 210 kB in each installation. Editors read the comments of the
 * declarations: without those in the programs, an installation is 70 kB smaller.
 *
 * The adapter kit runs in Node, where an ES module may export from CommonJS: one copy saves 50 kB, and both kinds of
 * importers share its error classes. The other entry points also run where nothing understands CommonJS.
 */
const dist = new URL('../dist/', import.meta.url);
const entryPoints = ['index', 'adapter', 'sign', 'testing', 'webhooks'];

/** On lines of their own: a documentation comment, and esbuild's name of a source file, which the package does not have. */
const COMMENT = /^[ \t]*\/\*\*(?:[^*]|\*(?!\/))*\*\/\n|^\/\/ (?:src|\.\.)\/.*\n/gm;

/** The compiler indents by four spaces; everything else that is published, by two. */
const halfIndented = (text) => text.replace(/^( {4})+/gm, (indent) => ' '.repeat(indent.length / 2));

for (const file of await readdir(dist)) {
  const path = new URL(file, dist);
  if (file.endsWith('.d.ts')) await rm(path);
  else if (file.endsWith('.d.cts')) await writeFile(path, halfIndented(await readFile(path, 'utf8')));
  else if (/\.c?js$/.test(file)) await writeFile(path, (await readFile(path, 'utf8')).replace(COMMENT, ''));
}
for (const name of entryPoints) await writeFile(new URL(`${name}.d.ts`, dist), `export * from './${name}.cjs';\n`);

const kit = new URL('adapter.js', dist);
const [, names = ''] = /^export \{\n([\w,\s]+)\n\};\n$/m.exec(await readFile(kit, 'utf8')) ?? [];
if (!names) throw new Error('dist/adapter.js has no list of exports.');
await writeFile(kit, `export {\n${names}\n} from './adapter.cjs';\n`);
const shared = new URL('adapter.cjs', dist);
// Node finds the names in this line. It never runs.
await writeFile(shared, `${await readFile(shared, 'utf8')}0 && (module.exports = {\n${names}\n});\n`);
