import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTenant, temporaryFolder } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import type { Document } from '../src/examples.js';
import { addSnippets } from '../src/snippets.js';

/** The snippets that the page shows, run as they are in every language that this machine has. */
const { operator } = await createTenant();
const folder = temporaryFolder();
const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const shown: Document = read('../../contract/openapi.json');
addSnippets(shown, read('../dist/signing-code.json'));

const { base_url: TOP_BASE_URL, client_id: TOP_CLIENT_ID, secret: TOP_SECRET } = operator;
const env = { ...process.env, TOP_BASE_URL, TOP_CLIENT_ID, TOP_SECRET };
const run = (program: string, args: string[], cwd = folder) =>
  execFileSync(program, args, { cwd, env, encoding: 'utf8', stdio: 'pipe' });
const here = (file: string, source: string) => {
  const path = join(folder, file);
  writeFileSync(path, source);
  return path;
};

/** The same crates as the code of docs/signing-code.md, whose lock file says which. */
function runRust(source: string): string {
  const from = fileURLToPath(new URL('../../examples/signing/rust/', import.meta.url));
  const project = join(folder, 'rust');
  mkdirSync(join(project, 'src'), { recursive: true });
  for (const file of ['Cargo.toml', 'Cargo.lock']) cpSync(from + file, join(project, file));
  cpSync(`${from}src/lib.rs`, join(project, 'src/lib.rs'));
  writeFileSync(join(project, 'src/main.rs'), source);
  return run('cargo', ['run', '--quiet', '--locked', '--bin', 'signing'], project);
}

function runCsharp(source: string): string {
  const program = join(folder, 'Main.exe');
  run('mcs', ['-r:System.Net.Http', `-out:${program}`, here('Main.cs', source)]);
  return run('mono', [program]);
}

const languages: Record<string, { needs: string; send: (source: string) => string }> = {
  Go: { needs: 'go', send: (source) => run('go', ['run', here('main.go', source)]) },
  Java: { needs: 'java', send: (source) => run('java', [here('Main.java', source)]) },
  'C#': { needs: 'mcs', send: runCsharp },
  PHP: { needs: 'php', send: (source) => run('php', [here('main.php', source)]) },
  Ruby: { needs: 'ruby', send: (source) => run('ruby', [here('main.rb', source)]) },
  Rust: { needs: 'cargo', send: runRust },
};

const isThere = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const present = Object.keys(languages).filter((name) => isThere(languages[name]?.needs ?? ''));
console.log(`Snippets of these languages run here: ${present.join(', ')}`);

/** An operation with a body, and two without. */
const operations = ['commands.create', 'me.get', 'catalog.get'];
const cases = present.flatMap((language) => operations.map((name) => [language, name] as const));

test.each(cases)('the %s snippet of %s runs as it is', { timeout: 600_000 }, (language, name) => {
  const operation = Object.values(shown.paths)
    .flatMap((methods) => Object.values(methods))
    .find(({ operationId }) => operationId === name);
  const source = operation?.['x-codeSamples']?.find(({ label }) => label === language)?.source ?? '';
  const answer = JSON.parse(languages[language]?.send(source) ?? '');
  expect(answer).not.toHaveProperty('code');
  expect(answer).toHaveProperty('request_id');
});
