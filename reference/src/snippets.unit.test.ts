import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Document } from './examples.js';
import { addSnippets } from './snippets.js';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const codeOf = (path: string) => read(`examples/signing/${path}`);
const code = {
  go: codeOf('go/signing/signing.go'),
  java: codeOf('java/Signing.java'),
  csharp: codeOf('csharp/SigningHandler.cs'),
  php: codeOf('php/signing.php'),
  ruby: codeOf('ruby/signing.rb'),
  rust: codeOf('rust/src/lib.rs'),
};
const document: Document = JSON.parse(read('contract/openapi.json'));
addSnippets(document, code);

const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const sourceOf = (operation: (typeof operations)[number], label: string) =>
  operation['x-codeSamples']?.find((sample) => sample.label === label)?.source ?? '';

const inSingleQuotes = (text: string) => text.replaceAll('\\\\', '\\');
/** Where a program has method, target and body, and how it writes a text. */
const languages: Record<string, [RegExp, (text: string) => string]> = {
  Go: [/NewRequest\("(.+?)", .+?\+"(.+?)", strings\.NewReader\(`([^`]*)`\)\)/, String],
  Java: [/"([A-Z]+)", "(.+?)", "(.*)"\.getBytes/, (text) => JSON.parse(`"${text}"`)],
  'C#': [
    /HttpMethod\("(.+?)"\), .+? \+ "(.+?)"\);\n(?:\s*request\.Content = new StringContent\("(.*?)", Encoding)?/,
    (text) => JSON.parse(`"${text}"`),
  ],
  PHP: [/'([A-Z]+)', '(.+?)', '((?:[^'\\]|\\.)*)',\n\);/, inSingleQuotes],
  Ruby: [/secret, '([A-Z]+)', '(.+?)', '((?:[^'\\]|\\.)*)'\)\n/, inSingleQuotes],
  Rust: [/\("([A-Z]+)", "(.+?)", r#"(.*?)"#\);/, String],
};

/** Method, target and body of each program. */
const requestsIn = (operation: (typeof operations)[number]) =>
  Object.entries(languages).map(([label, [place, textOf]]) => {
    const [, method, target, body = ''] = place.exec(sourceOf(operation, label)) ?? [];
    return { label, method, target, body: body === '' ? undefined : JSON.parse(textOf(body)) };
  });
const everywhere = (request: object) => Object.keys(languages).map((label) => ({ label, ...request }));

test.each(operations)('$operationId is the same request in each language as in curl', (operation) => {
  const [, method, target] = /method=(\S+) target='(.+?)'/.exec(sourceOf(operation, 'curl and openssl')) ?? [];
  const { example, examples = {} } = operation.requestBody?.content['application/json'] ?? {};
  expect(requestsIn(operation)).toEqual(everywhere({ method, target, body: example ?? examples.default?.value }));
});

test('quotes and backslashes of a body end no text of a program', () => {
  const example = { text: `it's \`one\`, "two" and \\three\\` };
  const content = { 'application/json': { example } };
  const operation = { operationId: 'own', parameters: [], requestBody: { content }, responses: {} };
  addSnippets({ paths: { '/own': { post: operation } } }, code);
  expect(requestsIn(operation)).toEqual(everywhere({ method: 'POST', target: '/own', body: example }));
});
