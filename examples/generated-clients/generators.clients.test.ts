import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { install, generators as project } from './install.js';

const execute = promisify(execFile);
const contract = join(import.meta.dirname, '../../contract');
const document = join(contract, 'openapi.json');
const page = readFileSync(join(import.meta.dirname, '../../docs/clients.md'), 'utf8');

const generators: Record<string, (output: string) => string[]> = {
  'openapi-typescript': (output) => ['openapi-typescript', document, '-o', `${output}/client.ts`],
  '@hey-api/openapi-ts': (output) => ['openapi-ts', '-i', document, '-o', output],
  orval: (output) => ['orval', '--client', 'fetch', '--input', document, '--output', `${output}/client.ts`],
  kubb: (output) => ['kubb', 'generate', '--config', kubbConfig(output)],
  'openapi-zod-client': (output) => ['openapi-zod-client', document, '-o', `${output}/client.ts`],
  'swagger-typescript-api': (output) => [
    ...['swagger-typescript-api', 'generate', '-p', document],
    ...['-o', output, '-n', 'client.ts'],
  ],
};

/** kubb reads everything from a file. */
function kubbConfig(output: string): string {
  const file = join(output, 'kubb.config.mjs');
  writeFileSync(
    file,
    `import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';

export default {
  input: { path: '${document}' },
  output: { path: '${output}/client', extension: { '.ts': '.js' } },
  plugins: [pluginOas({ generators: [] }), pluginTs(), pluginClient({ client: 'fetch' })],
};
`,
  );
  return file;
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
    execute(join(folder, 'node_modules/.bin', program), args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 }).catch(
      // tsc writes its errors to stdout.
      ({ message, stdout }) => Promise.reject(new Error(`${message}\n${stdout.slice(0, 2_000)}`)),
    );
  const [program = '', ...args] = commandFor(output);
  await run(program, args);
  copyFileSync(join(project, 'tsconfig.json'), join(output, 'tsconfig.json'));
  expect((await run('tsc', ['-p', output, '--listFilesOnly'])).stdout).toContain(output);
  await run('tsc', ['-p', output]);
});

test('Spectral finds nothing in the OpenAPI and the AsyncAPI document', { timeout: 600_000 }, async () => {
  const program = join(await install(), 'node_modules/.bin/spectral');
  const documents = ['openapi.json', 'asyncapi.json'].map((name) => join(contract, name));
  const rules = ['--ruleset', join(project, 'spectral.yaml'), '--fail-severity', 'hint'];
  const { stdout } = await execute(program, ['lint', ...rules, ...documents]);
  expect(stdout).toMatch(/No results/);
});

const namesOfModels = `
const { GoGenerator, JavaGenerator, JavaScriptGenerator, PythonGenerator, TypeScriptGenerator } = require('@asyncapi/modelina');
const generators = [GoGenerator, JavaGenerator, JavaScriptGenerator, PythonGenerator, TypeScriptGenerator];
const described = require(process.argv[1]);
Promise.all(generators.map((Generator) => new Generator().generate(described))).then((models) =>
  console.log(JSON.stringify(models.map((ofLanguage) => ofLanguage.map(({ modelName }) => modelName)))),
);
`;

test('Modelina makes no anonymous model of the AsyncAPI document, in five languages', {
  timeout: 600_000,
}, async () => {
  const asyncApi = join(contract, 'asyncapi.json');
  const { stdout } = await execute(process.execPath, ['-e', namesOfModels, asyncApi], { cwd: await install() });
  for (const names of JSON.parse(stdout)) {
    expect(names).toContain('CommandAcceptedEvent');
    expect(names.filter((name: string) => /anonymous/i.test(name))).toEqual([]);
  }
});
