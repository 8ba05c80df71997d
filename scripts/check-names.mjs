import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './root.mjs';

/** Refuses a document that names a function, an option or a constant that no code has any more. */

/** These two name functions of other languages and of generators. */
const OF_OTHERS = ['docs/clients.md', 'docs/signing-code.md'];
const isDocument = (path) => /^(?:docs\/.*|[A-Z]+)\.md$/.test(path) && !OF_OTHERS.includes(path);
const isCode = (path) =>
  /\.(?:tsx?|[cm]?js|py|go|java|cs|php|rs|sh|sql|yaml|patch)$/.test(path) && !/\.test\.tsx?$/.test(path);

/** In backticks: `createX`, `x.createX(…)`, `wait(id)`. A block of code is tested by running it. */
const namesIn = (text) =>
  [...text.replace(/^```.*?^```$/gms, '').matchAll(/`(?:\w+\.)*([a-z]\w*)(\([^`\n]*\))?`/g)]
    .filter(([, name, call]) => call !== undefined || /^[a-z]+[A-Z]/.test(name))
    .map(([, name]) => name);

/** @param {Record<string, string>} files The text of each file by its path. */
export function unknownNamesIn(files) {
  const known = new Set();
  for (const [path, text] of Object.entries(files)) {
    if (isCode(path)) for (const word of text.match(/[A-Za-z_$][\w$]*/g) ?? []) known.add(word);
  }
  return Object.entries(files)
    .filter(([path]) => isDocument(path))
    .flatMap(([path, text]) =>
      [...new Set(namesIn(text))].filter((name) => !known.has(name)).map((name) => `${path} names ${name}`),
    );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const paths = listed.split('\0').filter((path) => isDocument(path) || isCode(path));
  const unknown = unknownNamesIn(
    Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')])),
  );
  for (const one of unknown) process.stderr.write(`${one}, which no code has.\n`);
  process.exitCode = unknown.length === 0 ? 0 : 1;
}
