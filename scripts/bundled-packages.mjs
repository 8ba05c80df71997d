import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the package that an installed file belongs to. */
const packageOf = (file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];

/** Every package of others that these files belong to, and that tsup has put into `dist` of a folder. */
export function bundledInto(folder, files = []) {
  const { inputs } = JSON.parse(readFileSync(join(folder, 'dist/metafile-esm.json'), 'utf8'));
  const bundled = Object.keys(inputs).map((input) => join(folder, input));
  const folders = new Set([...bundled, ...files].map(packageOf).filter(Boolean));
  return [...folders].map((of) => ({ folder: of, ...manifestOf(of) }));
}

export function manifestOf(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { name, version, license, author: author?.name ?? author };
}

/** The text in the package, or else the usual text of its licence. */
function textOf({ folder, license, author }) {
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
  if (file) return readFileSync(join(folder, file), 'utf8').trim();
  if (!author) throw new Error(`${folder} has neither a licence text nor an author.`);
  const usual = readFileSync(new URL(`licenses/${license}.txt`, import.meta.url), 'utf8').trim();
  return `Author: ${author}\n\n${usual}`;
}

/** Writes the licences of the bundled packages into `dist` of a folder. */
export function writeNotices(folder, packages) {
  const licenses = packages.map((one) => `${one.name} ${one.version} (${one.license})\n\n${textOf(one)}\n`);
  writeFileSync(join(folder, 'dist/third-party-notices.txt'), licenses.sort().join(`\n${'-'.repeat(80)}\n`));
}
