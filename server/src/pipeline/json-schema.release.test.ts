import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiError } from '../foundation/api-error.js';
import { compilePayloadSchema } from './payload-schema.js';

/** Its archive has the official JSON-Schema-Test-Suite. */
const VERSION = 'jsonschema==4.26.0';
/** It has the schemas of the Open Charge Alliance as they are published. */
const OCPP = 'ocpp==2.1.0';
const SCHEMAS = 3_000;
const PAYLOADS = 10;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'top-json-schema-'));
  const pip = (command: string, ...options: string[]) =>
    execFileSync('python3', ['-m', 'pip', command, '--quiet', ...options], { stdio: 'pipe' });
  pip('install', '--root-user-action', 'ignore', '--target', join(folder, 'python'), VERSION);
  pip('install', '--root-user-action', 'ignore', '--no-deps', '--target', join(folder, 'ocpp'), OCPP);
  pip('download', '--no-binary', 'jsonschema', '--no-deps', '--dest', folder, VERSION);
  const archive = readdirSync(folder).find((name) => name.endsWith('.tar.gz')) as string;
  execFileSync('tar', ['-xzf', join(folder, archive), '--strip-components=1', '-C', folder]);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Null if the platform refuses the schema. */
async function compiled(schema: unknown, $schema?: string) {
  const given = typeof schema === 'boolean' ? { allOf: [schema] } : (schema as Record<string, unknown>);
  const inObject = $schema ? { $schema, ...given } : given;
  try {
    const faultsOf = await compilePayloadSchema(inObject, (code, options) => new ApiError(code, options));
    return (payload: unknown) => faultsOf(payload, '').length === 0;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** What vendors.md says to be different, and what never comes that far: see `parseJson`. */
const isDocumented = (group: string, name: string) =>
  /is only an annotation by default$/.test(name) ||
  /^validation of (binary|string)[- ]/.test(group) ||
  /^a float is not an integer/.test(name) ||
  /^ECMA 262 \\s/i.test(group) ||
  name === '__proto__ not valid';

type Group = { description: string; schema: unknown; tests: { description: string; data: unknown; valid: boolean }[] };

const draft = (number: number) => `http://json-schema.org/draft-0${number}/schema#`;

test.each([
  ['draft2020-12', undefined, 1_000],
  ['draft2020-12/optional', undefined, 70],
  ['draft2020-12/optional/format', undefined, 350],
  ['draft7', draft(7), 700],
  ['draft7/optional', draft(7), 20],
  ['draft7/optional/format', draft(7), 300],
  ['draft6', draft(6), 600],
  ['draft6/optional', draft(6), 20],
  ['draft6/optional/format', draft(6), 150],
  ['draft4', draft(4), 450],
  ['draft4/optional', draft(4), 20],
  ['draft4/optional/format', draft(4), 80],
])(
  'agrees with the official tests %s in every verdict about a schema that it accepts',
  async (part, $schema, atLeast) => {
    const tests = join(folder, 'json/tests', part);
    const wrong: string[] = [];
    let verdicts = 0;
    for (const file of readdirSync(tests).filter((name) => name.endsWith('.json')))
      for (const { description, schema, tests: cases } of JSON.parse(
        readFileSync(join(tests, file), 'utf8'),
      ) as Group[]) {
        const isValid = await compiled(schema, $schema);
        for (const { description: name, data, valid } of isValid ? cases : []) {
          verdicts++;
          if (isValid?.(data) !== valid && !isDocumented(description, name))
            wrong.push(`${file}: ${description}: ${name}`);
        }
      }
    expect(wrong).toEqual([]);
    expect(verdicts).toBeGreaterThan(atLeast);
  },
);

const name = fc.constantFrom('a', 'a', 'a', 'b', 'b', 'b', 'ab', 'ab', 'toString', '$ref', 'undefined', '~/%é ');
const scalar = fc.constantFrom<unknown>(null, true, false, 0, 1, 2, 1.5, -3, '', 'a', 'ab', '😀');
const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 2 },
    scalar,
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(name, tie('any'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).any;

const few = { maxLength: 3, minLength: 1 };
const schemas = fc.letrec<{ schema: unknown }>((tie) => {
  const schema = tie('schema');
  const named = fc.dictionary(name, schema, { minKeys: 1, maxKeys: 3, noNullPrototype: true });
  const length = fc.integer({ min: 0, max: 3 });
  const number = fc.constantFrom(-1, 0, 1, 1.5, 2);
  const applied = {
    allOf: fc.array(schema, few),
    anyOf: fc.array(schema, few),
    oneOf: fc.array(schema, few),
    not: schema,
    if: schema,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: schema,
    else: schema,
    $ref: fc.constantFrom('#/$defs/object', '#/$defs/array'),
  };
  const ofObjects = {
    ...applied,
    required: fc.uniqueArray(name, { maxLength: 2 }),
    properties: named,
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'b$', 'S'), schema, { minKeys: 1, noNullPrototype: true }),
    additionalProperties: schema,
    unevaluatedProperties: schema,
    propertyNames: fc.constantFrom({ maxLength: 1 }, { pattern: '^a' }, { enum: ['a', 'b'] }),
    dependentRequired: fc.constantFrom({ a: ['b'] }, { toString: ['a', 'ab'] }),
    dependentSchemas: named,
    minProperties: length,
    maxProperties: length,
  };
  const ofArrays = {
    ...applied,
    items: schema,
    prefixItems: fc.array(schema, few),
    contains: schema,
    minContains: length,
    maxContains: length,
    unevaluatedItems: schema,
    uniqueItems: fc.boolean(),
    minItems: length,
    maxItems: length,
  };
  const ofOthers = {
    type: fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'boolean', 'null', ['string', 'array']),
    const: value,
    enum: fc.array(value, few),
    minimum: number,
    exclusiveMaximum: number,
    multipleOf: fc.constantFrom(0.5, 1, 2),
    minLength: length,
    maxLength: length,
    pattern: fc.constantFrom('^a', 'b$', '^.$'),
  };
  const withSome = (keywords: Record<string, fc.Arbitrary<unknown>>) =>
    fc
      .subarray(Object.keys(keywords), { minLength: 1, maxLength: 6 })
      .chain((chosen) => fc.record(Object.fromEntries(chosen.map((keyword) => [keyword, keywords[keyword] as never]))));
  // What a schema evaluates is what implementations get wrong.
  const leftOver = (keyword: string, keywords: Record<string, fc.Arbitrary<unknown>>) =>
    fc.tuple(withSome(keywords), schema).map(([some, rest]) => ({ ...some, [keyword]: rest }));
  const some = [
    withSome(ofObjects),
    withSome(ofArrays),
    withSome(ofOthers),
    leftOver('unevaluatedProperties', ofObjects),
    leftOver('unevaluatedItems', ofArrays),
  ];
  return { schema: fc.oneof({ maxDepth: 3, depthSize: 'medium' }, fc.boolean(), ...some) };
}).schema;

const $defs = { object: { properties: { a: true } }, array: { prefixItems: [{ type: 'number' }] } };

test('agrees with another implementation about random schemas', { timeout: 300_000 }, async () => {
  const seed = Date.now();
  const samples = fc.sample(fc.tuple(schemas, fc.array(value, { minLength: PAYLOADS, maxLength: PAYLOADS })), {
    seed,
    numRuns: SCHEMAS,
  });
  const cases = samples.flatMap(([schema, payloads]) =>
    typeof schema === 'object' ? [{ schema: { ...schema, $defs }, payloads }] : [],
  );
  const script = `
import json, sys, jsonschema
for line in sys.stdin:
    case = json.loads(line)
    is_valid = jsonschema.Draft202012Validator(case["schema"]).is_valid
    print(json.dumps([is_valid(payload) for payload in case["payloads"]]))`;
  const printed = execFileSync('python3', ['-c', script], {
    env: { ...process.env, PYTHONPATH: join(folder, 'python') },
    input: cases.map((one) => JSON.stringify(one)).join('\n'),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const right: boolean[][] = printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  let verdicts = 0;
  const wrong: object[] = [];
  for (const [index, { schema, payloads }] of cases.entries()) {
    const isValid = await compiled(schema);
    if (!isValid) continue;
    for (const [at, payload] of payloads.entries()) {
      verdicts++;
      if (isValid(payload) !== right[index]?.[at]) wrong.push({ schema, payload, right: right[index]?.[at] });
    }
  }
  expect(wrong, `with seed ${seed}`).toEqual([]);
  expect(verdicts).toBeGreaterThan(SCHEMAS * PAYLOADS * 0.5);
});

test.each([
  ['v16', 78],
  ['v201', 128],
])('takes the schemas of OCPP %s as they are: %i files', async (version, files) => {
  const schemas = join(folder, 'ocpp/ocpp', version, 'schemas');
  const names = readdirSync(schemas).filter((name) => name.endsWith('.json'));
  expect(names).toHaveLength(files);
  for (const name of names) {
    const schema = JSON.parse(readFileSync(join(schemas, name), 'utf8').replace(/^\ufeff/, ''));
    await expect(
      compilePayloadSchema(schema, (code, options) => new ApiError(code, options)),
      name,
    ).resolves.toBeTypeOf('function');
  }
});
