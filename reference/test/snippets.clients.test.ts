import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTenant, temporaryFolder } from '@tenant-open-platform/testing';
import { expectMismatchIsSaid } from '@tenant-open-platform/testing/mismatch';
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
const run = ([program = '', ...args]: string[]) =>
  execFileSync(program, args, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' });
const here = (file: string, source: string) => {
  const path = join(folder, file);
  writeFileSync(path, source);
  return path;
};

/** The same crates as the code of docs/signing-code.md, whose lock file says which. */
function rustProgram(source: string): string[] {
  const from = fileURLToPath(new URL('../../examples/signing/rust/', import.meta.url));
  const project = join(folder, 'rust');
  mkdirSync(join(project, 'src'), { recursive: true });
  for (const file of ['Cargo.toml', 'Cargo.lock']) cpSync(from + file, join(project, file));
  cpSync(`${from}src/lib.rs`, join(project, 'src/lib.rs'));
  writeFileSync(join(project, 'src/main.rs'), source);
  return ['cargo', 'run', '--quiet', '--locked', '--bin', 'signing', '--manifest-path', join(project, 'Cargo.toml')];
}

function csharpProgram(source: string): string[] {
  const program = join(folder, 'Main.exe');
  run(['mcs', '-r:System.Net.Http', `-out:${program}`, here('Main.cs', source)]);
  return ['mono', program];
}

const languages: Record<string, { needs: string; program: (source: string) => string[] }> = {
  Go: { needs: 'go', program: (source) => ['go', 'run', here('main.go', source)] },
  Java: { needs: 'java', program: (source) => ['java', here('Main.java', source)] },
  'C#': { needs: 'mcs', program: csharpProgram },
  PHP: { needs: 'php', program: (source) => ['php', here('main.php', source)] },
  Ruby: { needs: 'ruby', program: (source) => ['ruby', here('main.rb', source)] },
  Rust: { needs: 'cargo', program: rustProgram },
};

const isThere = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const present = Object.keys(languages).filter((name) => isThere(languages[name]?.needs ?? ''));
console.log(`Snippets of these languages run here: ${present.join(', ')}`);

function programOf(language: string, name: string): string[] {
  const operation = Object.values(shown.paths)
    .flatMap((methods) => Object.values(methods))
    .find(({ operationId }) => operationId === name);
  const source = operation?.['x-codeSamples']?.find(({ label }) => label === language)?.source ?? '';
  return languages[language]?.program(source) ?? [];
}

/** An operation with a body, and two without. */
const operations = ['commands.create', 'me.get', 'catalog.get'];
const cases = present.flatMap((language) => operations.map((name) => [language, name] as const));

test.each(cases)('the %s snippet of %s runs as it is', { timeout: 600_000 }, (language, name) => {
  const answer = JSON.parse(run(programOf(language, name)));
  expect(answer).not.toHaveProperty('code');
  expect(answer).toHaveProperty('request_id');
});

test.each(present)(
  'the %s snippet of commands.create says that its key belongs to another command',
  {
    timeout: 600_000,
  },
  (language) => expectMismatchIsSaid(programOf(language, 'commands.create')),
);
