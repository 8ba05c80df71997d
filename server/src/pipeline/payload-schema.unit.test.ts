import { FORMATS } from '@tenant-open-platform/contract/payload-schema';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ApiError } from '../foundation/api-error.js';
import { compilePayloadSchema } from './payload-schema.js';

const compile = (schema: Record<string, unknown>) =>
  compilePayloadSchema(schema, (code, options) => new ApiError(code, options));

test.each([
  ['x'.repeat(200), 'x'.repeat(128)],
  [`x${'😀'.repeat(100)}`, `x${'😀'.repeat(63)}`],
  ['\u202ex', '?x'],
])(
  'the name of a property that is not allowed is shown printable, and cut between characters: %j',
  async (name, shown) => {
    const faultsOf = await compile({ additionalProperties: false });
    const location = `body/payload/${shown}`;
    expect(faultsOf({ [name]: 1 }, 'body/payload')).toEqual([
      { location, code: 'ADDITIONAL_PROPERTIES', message: 'is not allowed' },
    ]);
  },
);

test.each<[schema: object, payload: unknown, faults: [pointer: string, code: string, message: string][]]>([
  [
    { required: ['a', 'b/c'], properties: { d: { type: ['string', 'null'] } } },
    { d: 1 },
    [
      ['/a', 'REQUIRED', 'is required'],
      ['/b~1c', 'REQUIRED', 'is required'],
      ['/d', 'TYPE', 'must be of type string or null'],
    ],
  ],
  [
    { properties: { power: { enum: ['on', 'off'] }, mode: { const: { a: 1 } } } },
    { power: 'up', mode: {} },
    [
      ['/power', 'ENUM', 'must be one of "on", "off"'],
      ['/mode', 'CONST', 'must be {"a":1}'],
    ],
  ],
  [
    { anyOf: [{ required: ['a'] }, { minProperties: 2 }] },
    {},
    [
      ['/a', 'REQUIRED', 'is required'],
      ['', 'MIN_PROPERTIES', 'must have at least 2 properties'],
      ['', 'ANY_OF', 'must match at least one of the alternatives'],
    ],
  ],
  [{ propertyNames: { pattern: '^a' } }, { b: 1 }, [['/b', 'PATTERN', 'must match ^a']]],
  [{ dependentRequired: { a: ['b', 'c'] } }, { a: 1 }, [['', 'DEPENDENT_REQUIRED', 'must have b and c if it has a']]],
  [
    { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
    { a: 1, b: 2 },
    [['/b', 'UNEVALUATED_PROPERTIES', 'is not allowed']],
  ],
  [{ properties: { a: { multipleOf: 0.5 } } }, { a: 0.7 }, [['/a', 'MULTIPLE_OF', 'must be a multiple of 0.5']]],
  [
    { properties: { a: { items: { type: 'string' } } } },
    { a: Array.from({ length: 99 }, () => 1) },
    Array.from({ length: 20 }, (_, index) => [`/a/${index}`, 'TYPE', 'must be of type string']),
  ],
])('of the schema %j the payload %j is told what is wrong', async (schema, payload, faults) => {
  const details = faults.map(([pointer, code, message]) => ({ location: `body/payload${pointer}`, code, message }));
  expect((await compile(schema as never))(payload, 'body/payload')).toEqual(details);
});

/** The library takes a value for a part of the schema if it looks like one. */
test.each([
  { $id: 'https://example.com/a', b: 1 },
  { $ref: '#/$defs/a', b: 1 },
  { $anchor: 'a', undefined: 'b' },
])('the constant %j is itself, and nothing else', async (constant) => {
  for (const schema of [{ const: constant }, { enum: [1, constant] }]) {
    const faultsOf = await compile(schema);
    expect(faultsOf(constant, '')).toEqual([]);
    for (const other of [{}, { ...constant, c: 1 }, Object.values(constant)])
      expect(faultsOf(other, '')).not.toEqual([]);
  }
});

test('a vocabulary, an $id and examples that look like schemas change nothing', async () => {
  const note = {
    $id: 'https://example.com/a',
    $schema: 'https://example.com/b',
    $vocabulary: { 'https://c.example': true },
  };
  const schema = { $vocabulary: { 'https://c.example': true }, default: note, examples: [note], minProperties: 1 };
  const [one, other] = await Promise.all([compile(schema), compile({ ...schema, minProperties: 2 })]);
  expect([one({ a: 1 }, ''), one({}, '').length, other({ a: 1 }, '').length]).toEqual([[], 1, 1]);
});

test.each([
  { definitions: { a: { type: 'integer' } }, properties: { a: { $ref: '#/definitions/a' } } },
  { $schema: 'http://json-schema.org/draft-04/schema#', id: 'urn:a', properties: { a: { type: 'integer' } } },
  { $schema: 'http://json-schema.org/draft-04/schema#', properties: { a: { type: 'integer', examples: [1] } } },
  // quicktype, and zodToJsonSchema with a name: nothing beside $ref counts, but definitions are its targets.
  {
    $schema: 'http://json-schema.org/draft-06/schema#',
    $ref: '#/definitions/a',
    definitions: { a: { properties: { a: { type: 'integer', 'qt-uri-protocols': ['https'] } } } },
  },
  {
    $schema: 'http://json-schema.org/draft-07/schema#',
    properties: { a: { $ref: '#/properties/a/definitions/b', maximum: 0, definitions: { b: { type: 'integer' } } } },
  },
  { 'x-order': 1, comment: 'OCPP', properties: { a: { type: 'integer', javaType: 'A', 'x-enumNames': ['one'] } } },
  { properties: { a: { type: 'integer', format: 'int64', example: 1, requiresRestart: true } } },
  z.toJSONSchema(z.object({ a: z.int().meta({ tsType: 'A' }) })) as Record<string, unknown>,
  // Notes of other drafts.
  {
    $schema: 'http://json-schema.org/draft-04/schema#',
    $id: 'urn:a',
    $comment: 'OCPP',
    properties: { a: { type: 'integer', deprecated: true, readOnly: true, writeOnly: false } },
  },
  {
    $schema: 'http://json-schema.org/draft-06/schema#',
    id: 'urn:a',
    $comment: 'OCPP',
    properties: { a: { type: 'integer', deprecated: true, contentEncoding: 'base64', contentMediaType: 'image/png' } },
  },
  {
    $schema: 'http://json-schema.org/draft-07/schema#',
    id: 'urn:a',
    properties: { a: { type: 'integer', deprecated: true } },
  },
  { id: 'urn:a', properties: { a: { type: 'integer' } } },
])('a schema is taken as people have it: %j', async (schema) => {
  const faultsOf = await compile(schema);
  expect([faultsOf({ a: 1 }, '').length, faultsOf({ a: 1.5 }, '').length > 0]).toEqual([0, true]);
});

test.each([
  ['int32', 2 ** 31 - 1, 2 ** 31],
  ['int32', -(2 ** 31), -(2 ** 31) - 1],
  ['int64', 2 ** 53 - 1, 0.5],
])('the format %s allows %d and not %d', async (format, allowed, not) => {
  const faultsOf = await compile({ format });
  expect([faultsOf(allowed, '').length, faultsOf(not, '').length]).toEqual([0, 1]);
});

const draft = (number: number, schema: object) => ({
  $schema: `http://json-schema.org/draft-0${number}/schema#`,
  ...schema,
});

test.each([
  [{ requierd: ['a'] }, 'correct its name, or begin it with x-'],
  [{ type: 'string', nullable: true }, 'list "null" in type'],
  [{ $ref: 'https://example.com/a.json' }, 'copy a schema from elsewhere into $defs'],
  [
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $ref: '#/properties/a',
      properties: { a: { type: 'string' } },
    },
    'copy a schema from elsewhere into definitions',
  ],
  [{ description: 'a'.repeat(16_384) }, 'put what repeats into $defs'],
  [draft(4, { description: 'a'.repeat(16_384) }), 'put what repeats into definitions'],
  [{ format: 'email', pattern: '^(?!\\.)' }, 'remove it beside a format'],
  [{ format: 'iban' }, 'write a pattern instead'],
  [{ $ref: '#' }, 'write out as many levels'],
  [{ $schema: 'http://json-schema.org/draft-03/schema#' }, 'name the nearest, or leave $schema out'],
  [{ properties: { a: { $id: 'https://example.com/a' } } }, 'only at the root: leave it out here'],
  [{ properties: { a: { minimum: 0, exclusiveMinimum: true } } }, 'write the limit itself in place of true'],
  [draft(4, { exclusiveMinimum: 5 }), 'write true, and the limit in minimum, or name draft 6 in $schema'],
  [{ type: 'array', items: [{ type: 'string' }] }, 'name a list of items prefixItems, or name draft 7'],
  [draft(4, { properties: { a: { required: true } } }), 'list the names of required properties beside properties'],
  [{ properties: { a: { required: true } } }, 'list the names of required properties beside properties'],
  ...['prefixItems', 'dependentRequired', 'unevaluatedProperties', '$defs'].map((keyword): [object, string] => [
    draft(7, { [keyword]: {} }),
    'name https://json-schema.org/draft/2020-12/schema in $schema: JSON Schema 2020-12 knows it',
  ]),
  [draft(4, { const: 1 }), 'name http://json-schema.org/draft-06/schema in $schema: draft 6 knows it'],
  [draft(4, { if: {} }), 'name http://json-schema.org/draft-07/schema in $schema: draft 7 knows it'],
  [{ dependencies: {} }, 'write dependentRequired or dependentSchemas'],
  [{ constructor: {} }, 'JSON Schema 2020-12: correct its name'],
] as [Record<string, unknown>, string][])('the refusal of %j says what to write instead', async (schema, remedy) => {
  await expect(compile(schema)).rejects.toThrow(remedy);
});

test('the refusal of too many alternatives says how to check with less work', async () => {
  const schema = { anyOf: Array.from({ length: 200 }, () => ({ minProperties: 1 })) };
  await expect(compile(schema)).rejects.toThrow('merge alternatives, or check less of the payload');
});

test.each([{ properties: { items: 1 } }, draft(7, { items: 1 }), draft(7, { dependencies: { required: 1 } })])(
  'the refusal of %j does not advise a form of a keyword',
  async (schema) => {
    await expect(compile(schema)).rejects.not.toThrow(/prefixItems|list the names/);
  },
);

test('a limit of a later draft is not told to name its own draft', async () => {
  await expect(compile(draft(4, { exclusiveMaximum: 5 }))).rejects.not.toThrow('in place of true');
});

const LENGTH = 32 * 1024;

/** Nearly valid strings that send a backtracking regular expression back and forth. */
const hostile = [
  ['http://', ':'],
  ['http://', 'a-'],
  ['http://', 'a.'],
  ['http://', '@:'],
  ['//', '%41'],
  ['', '/a'],
  ['', '~0/'],
  ['a@', 'a-'],
  ['a@', 'a.'],
  ['', 'a.'],
  ['P', '1'],
  ['00:00:00.', '0'],
  ['2026-01-01T00:00:00.', '0'],
  ['', 't'],
  ['{', 'a,'],
  ['', '{a}'],
  ['/', '~0'],
  ['', '1:'],
  ['', '('],
  ['', '(?<a>)'],
  ['', '\\1'],
  ['', '()\\1'],
  ['(?<a>)', '\\k<a>'],
  ['', 'a|'],
].map(([start = '', repeated = '']) => `${start}${repeated.repeat(LENGTH / repeated.length)} `);

test.each(FORMATS)('the format %s checks a hostile string of 32 KiB in little time', async (format) => {
  const faultsOf = await compile({ format });
  for (const value of hostile) {
    const before = process.cpuUsage();
    faultsOf(value, '');
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000, value.slice(0, 40)).toBeLessThan(300);
  }
});
