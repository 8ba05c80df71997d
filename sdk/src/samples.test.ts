import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

type Described = { operationId: string; 'x-codeSamples': { label: string; source: string }[] };

const document = JSON.parse(readFileSync(new URL('../../contract/openapi.json', import.meta.url), 'utf8'));
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods as object) as Described[]);

test('the sample of every operation in OpenAPI is right by the types of the SDK', { timeout: 180_000 }, () => {
  const index = fileURLToPath(new URL('index.ts', import.meta.url));
  const samples = new Map(
    operations.map((operation) => {
      const source = operation['x-codeSamples'].find(({ label }) => label === 'SDK')?.source ?? '';
      const file = fileURLToPath(new URL(`${operation.operationId}.sample.mts`, import.meta.url));
      return [file, source.replace("'@tenant-open-platform/sdk'", "'./index.js'")] as const;
    }),
  );
  expect([...samples.values()].filter((source) => !source.includes('client.'))).toEqual([]);
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    customConditions: ['@tenant-open-platform/source'],
    types: ['node'],
    typeRoots: [fileURLToPath(new URL('../node_modules/@types', import.meta.url))],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (file) => samples.has(file) || fileExists(file);
  host.readFile = (file) => samples.get(file) ?? readFile(file);
  host.getSourceFile = (file, languageVersion) => {
    const sample = samples.get(file);
    return sample === undefined
      ? getSourceFile(file, languageVersion)
      : ts.createSourceFile(file, sample, languageVersion);
  };
  const program = ts.createProgram([index, ...samples.keys()], options, host);
  const problems = [...samples.keys()].flatMap((file) =>
    [
      ...program.getSemanticDiagnostics(program.getSourceFile(file)),
      ...program.getSyntacticDiagnostics(program.getSourceFile(file)),
    ].map(({ messageText }) => `${file.split('/').at(-1)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`),
  );
  expect(problems).toEqual([]);
});
