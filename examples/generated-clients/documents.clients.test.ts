import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generators, install } from './install.js';

const contract = join(import.meta.dirname, '../../contract');

test('Spectral finds nothing in the OpenAPI and the AsyncAPI document', { timeout: 300_000 }, () => {
  const program = join(install(), 'node_modules/.bin/spectral');
  const documents = ['openapi.json', 'asyncapi.json'].map((name) => join(contract, name));
  const rules = ['--ruleset', join(generators, 'spectral.yaml'), '--fail-severity', 'hint'];
  expect(execFileSync(program, ['lint', ...rules, ...documents], { encoding: 'utf8' })).toMatch(/No results/);
});

const namesOfModels = `
const { GoGenerator, JavaGenerator, JavaScriptGenerator, PythonGenerator, TypeScriptGenerator } = require('@asyncapi/modelina');
const generators = [GoGenerator, JavaGenerator, JavaScriptGenerator, PythonGenerator, TypeScriptGenerator];
const document = require(process.argv[1]);
Promise.all(generators.map((Generator) => new Generator().generate(document))).then((models) =>
  console.log(JSON.stringify(models.map((ofLanguage) => ofLanguage.map(({ modelName }) => modelName)))),
);
`;

test('Modelina makes no anonymous model of the AsyncAPI document, in five languages', { timeout: 300_000 }, () => {
  const document = join(contract, 'asyncapi.json');
  const printed = execFileSync(process.execPath, ['-e', namesOfModels, document], { cwd: install(), encoding: 'utf8' });
  for (const names of JSON.parse(printed)) {
    expect(names).toContain('CommandAcceptedEvent');
    expect(names.filter((name: string) => /anonymous/i.test(name))).toEqual([]);
  }
});
