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
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { name, version, license };
}

/** Writes the licences of the bundled packages into `dist` of a folder. */
export function writeNotices(folder, packages) {
  const licenses = packages.map(({ folder: of, name, version, license }) => {
    const file = readdirSync(of).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
    return `${name} ${version} (${license})\n${file ? `\n${readFileSync(join(of, file), 'utf8').trim()}\n` : ''}`;
  });
  writeFileSync(join(folder, 'dist/third-party-notices.txt'), licenses.sort().join(`\n${'-'.repeat(80)}\n`));
}
