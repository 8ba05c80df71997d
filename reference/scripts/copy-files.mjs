import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Puts beside the built script what the page loads: its own files, and Scalar's build for browsers. */
const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const own = fileURLToPath(new URL('../src/files/', import.meta.url));
const scalar = `${dirname(fileURLToPath(import.meta.resolve('@scalar/api-reference/style.css')))}/browser`;

cpSync(own, dist, { recursive: true });
const isServed = (path) => !/\.map$|\/standalone\.js$|\.json$/.test(path);
cpSync(scalar, `${dist}scalar`, { recursive: true, filter: isServed });

/** Both kinds of pages have the same bar. */
const bar = readFileSync(`${dist}bar.css`, 'utf8');
for (const name of ['guides.css', 'page.css'])
  writeFileSync(`${dist}${name}`, bar + readFileSync(`${dist}${name}`, 'utf8'));
rmSync(`${dist}bar.css`);

/** The files that docs/signing-code.md shows and tests run: src/snippets.ts makes programs of them. */
const signing = fileURLToPath(new URL('../../examples/signing/', import.meta.url));
const signingCode = {
  go: 'go/signing/signing.go',
  java: 'java/Signing.java',
  csharp: 'csharp/SigningHandler.cs',
  php: 'php/signing.php',
  ruby: 'ruby/signing.rb',
  rust: 'rust/src/lib.rs',
};
const texts = Object.entries(signingCode).map(([language, file]) => [language, readFileSync(signing + file, 'utf8')]);
writeFileSync(`${dist}signing-code.json`, JSON.stringify(Object.fromEntries(texts)));
