import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const execute = promisify(execFile);
const document = join(import.meta.dirname, '../../contract/openapi.json');
const page = readFileSync(join(import.meta.dirname, '../../docs/clients.md'), 'utf8');
const project = join(import.meta.dirname, 'typescript');

const generators: Record<string, (output: string) => string[]> = {
  'openapi-typescript': (output) => ['openapi-typescript', document, '-o', `${output}/client.ts`],
  '@hey-api/openapi-ts': (output) => ['openapi-ts', '-i', document, '-o', output],
  orval: (output) => ['orval', '--client', 'fetch', '--input', document, '--output', `${output}/client.ts`],
  'openapi-zod-client': (output) => ['openapi-zod-client', document, '-o', `${output}/client.ts`],
  'swagger-typescript-api': (output) => [
    ...['swagger-typescript-api', 'generate', '-p', document],
    ...['-o', output, '-n', 'client.ts'],
  ],
};

/** The generators, as package-lock.json pins them, installed on first use. */
async function install(): Promise<string> {
  const lock = createHash('sha256')
    .update(readFileSync(join(project, 'package-lock.json')))
    .digest('hex');
  const folder = join(import.meta.dirname, 'node_modules/.generators', lock.slice(0, 12));
  // npm writes this file last.
  if (!existsSync(join(folder, 'node_modules/.package-lock.json'))) {
    mkdirSync(folder, { recursive: true });
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(project, file), join(folder, file));
    await execute('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
  }
  return folder;
}

test('docs/clients.md names these generators', () => {
  const [sentence = ''] = /The output of these generators compiles.*/.exec(page) ?? [];
  expect(Object.keys(generators).filter((name) => !sentence.includes(name))).toEqual([]);
});

test.each(Object.entries(generators))('the output of %s compiles', { timeout: 600_000 }, async (_name, commandFor) => {
  const folder = await install();
  const output = mkdtempSync(join(folder, 'output-'));
  onTestFinished(() => rmSync(output, { recursive: true }));
  const run = (program: string, args: string[]) =>
    execute(join(folder, 'node_modules/.bin', program), args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
  const [program = '', ...args] = commandFor(output);
  await run(program, args);
  copyFileSync(join(project, 'tsconfig.json'), join(output, 'tsconfig.json'));
  expect((await run('tsc', ['-p', output, '--listFilesOnly'])).stdout).toContain(output);
  await run('tsc', ['-p', output]);
});
