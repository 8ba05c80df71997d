// Prints schemas that generators make, and what ajv says of samples: JSON of [name, schema, samples, verdicts].
// Run where these packages are installed: generate.mjs MORE. The file MORE has [name, schema] of other generators.
import { readFileSync, writeFileSync } from 'node:fs';
import Ajv from 'ajv';
import Ajv2020 from 'ajv/dist/2020.js';
import AjvDraft04 from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import { InputData, JSONSchemaInput, jsonInputForTargetLanguage, quicktype } from 'quicktype-core';
import * as zod from 'zod';
import * as zod3 from 'zod/v3';
import { zodToJsonSchema } from 'zod-to-json-schema';

const ALTERNATIVES = (z) => [
  z.object({ type: z.literal('a'), a: z.number() }),
  z.object({ type: z.literal('b'), b: z.string() }),
];

/** What both versions of zod have. */
const common = (z) => ({
  uuid: z.string().uuid(),
  email: z.string().email(),
  url: z.string().url(),
  datetime: z.string().datetime(),
  offset: z.string().datetime({ offset: true }),
  date: z.string().date(),
  time: z.string().time(),
  duration: z.string().duration(),
  base64: z.string().base64(),
  nanoid: z.string().nanoid(),
  cuid: z.string().cuid(),
  ulid: z.string().ulid(),
  regex: z.string().regex(/^[A-Z]{2,5}$/),
  ends: z.string().startsWith('a').endsWith('b'),
  includes: z.string().includes('x'),
  length: z.string().min(1).max(3),
  int: z.number().int().min(0).max(100).optional(),
  between: z.number().gt(0).lt(1),
  step: z.number().multipleOf(0.1),
  enum: z.enum(['eco', 'boost']),
  literal: z.literal(7),
  nullable: z.string().nullable(),
  nullableEnum: z.enum(['eco']).nullable(),
  union: z.union([z.string(), z.number()]),
  alternatives: z.discriminatedUnion('type', ALTERNATIVES(z)),
  array: z.array(z.string()).min(1).max(3),
  tuple: z.tuple([z.string(), z.number()]),
  tupleAndMore: z.tuple([z.string()]).rest(z.number()),
  record: z.record(z.string(), z.number()),
  recordOfEnum: z.record(z.enum(['a', 'b']), z.number()),
  withDefault: z.number().default(3),
  intersection: z.intersection(z.object({ a: z.number() }), z.object({ b: z.number() })),
  any: z.any(),
  strict: z.object({ a: z.string() }).strict(),
  loose: z.object({ a: z.string() }).passthrough(),
});

const ofZod4 = {
  ipv4: zod.ipv4(),
  ipv6: zod.ipv6(),
  cidr: zod.cidrv4(),
  hostname: zod.hostname(),
  jwt: zod.jwt(),
  emoji: zod.emoji(),
  e164: zod.e164(),
  int32: zod.int32(),
  float32: zod.float32(),
  template: zod.templateLiteral(['cp-', zod.number()]),
  described: zod.string().meta({ id: 'Described', title: 'A title', examples: ['a'] }),
  tree: zod.object({
    get children() {
      return zod.array(ofZod4.tree);
    },
  }),
};

const made = [];
for (const [field, type] of Object.entries({ ...common(zod), ...ofZod4 }))
  for (const target of ['draft-4', 'draft-7', 'draft-2020-12'])
    made.push([`zod ${target} ${field}`, zod.toJSONSchema(zod.object({ v: type }), { target })]);
for (const [field, type] of Object.entries(common(zod3)))
  for (const target of ['jsonSchema7', 'jsonSchema2019-09', 'openApi3'])
    made.push([`zod-to-json-schema ${target} ${field}`, zodToJsonSchema(zod3.object({ v: type }), { target })]);
const twice = zod3.object({ x: zod3.string() });
made.push(['zod-to-json-schema named', zodToJsonSchema(zod3.object({ v: twice, w: twice }), 'Command')]);

async function ofQuicktype(input) {
  const inputData = new InputData();
  inputData.addInput(input);
  return JSON.parse((await quicktype({ inputData, lang: 'schema' })).lines.join('\n'));
}

const samplesOfJson = {
  plain: { v: { n: 1, x: 1.5, flag: true, list: [{ a: 1 }, { a: 2, b: 'x' }], mode: 'eco' } },
  strings: { v: { id: '6a2f41a3-c54c-4ce8-92d2-0324e1c32e22', at: '2026-01-31T09:30:00Z', day: '2026-01-31' } },
  nothing: { v: { nothing: null, mixed: [1, 'a'] } },
  url: { v: { site: 'https://example.com/a' } },
  digits: { v: { number: '12' } },
};
for (const [name, sample] of Object.entries(samplesOfJson)) {
  const input = jsonInputForTargetLanguage('schema');
  await input.addSource({ name: 'Command', samples: [JSON.stringify(sample)] });
  made.push([`quicktype sample ${name}`, await ofQuicktype(input)]);
}

const types = {
  plain: `{ id: string; mode: 'eco' | 'boost'; level?: number; tags: string[]; inner: { a: number | null };
    either: string | number; at: Date }`,
  generic: '{ limits: Limits<number> }',
};
const typescript = await import('quicktype-typescript-input');
for (const [name, type] of Object.entries(types)) {
  const file = `${name}.ts`;
  // A TypeScript user marks nothing: every exported type counts.
  writeFileSync(file, `export interface Limits<T> { least: T; most: T }\nexport interface Command { v: ${type} }`);
  const source = typescript.schemaForTypeScriptSources([file]);
  made.push([`quicktype typescript ${name}, what it reads`, JSON.parse(source.schema)]);
  const input = new JSONSchemaInput(undefined);
  await input.addSource(source);
  made.push([`quicktype typescript ${name}`, await ofQuicktype(input)]);
}

made.push(...JSON.parse(readFileSync(process.argv[2], 'utf8')));

const VALUES = [
  ...[
    '',
    'a',
    'ab',
    'axb',
    'eco',
    'AB',
    'cp-7',
    '192.168.0.1',
    '2001:db8::1',
    '10.0.0.0/8',
    'example.com',
    'a@b.example',
  ],
  ...['2026-01-31', '09:30:00', '2026-01-31T09:30:00Z', '2026-01-31T09:30:00+01:00', 'https://example.com/a', 'P1D'],
  ...[
    '6a2f41a3-c54c-4ce8-92d2-0324e1c32e22',
    '+4930123456',
    'YWJj',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    'cjld2cjxh0000qzrmn831i7rn',
  ],
  ...[null, true, 0, 1, 7, 100, 101, -1, 0.5, 0.3, 2 ** 31, 1e39, [], ['a'], ['a', 1], ['a', 1, 2], ['a', 'b']],
  ...[
    {},
    { a: 1 },
    { a: 'x' },
    { a: 'x', b: 1 },
    { a: 1, b: 2 },
    { a: 1, c: 2 },
    { type: 'a', a: 1 },
    { type: 'b', a: 1 },
    { x: 'y' },
  ],
].map((v) => ({ v }));
const samples = [
  {},
  ...VALUES,
  ...VALUES.map((value) => ({ ...value, w: { x: 'y' } })),
  ...Object.values(samplesOfJson),
];

function judged(schema, values) {
  const kinds = {
    'http://json-schema.org/draft-04/schema#': AjvDraft04,
    'https://json-schema.org/draft/2020-12/schema': Ajv2020,
  };
  const { $schema, ...rest } = schema;
  try {
    const ajv = new (kinds[$schema] ?? ($schema ? Ajv : Ajv2020))({
      strict: false,
      logger: false,
      unicodeRegExp: true,
    });
    addFormats.default ? addFormats.default(ajv) : addFormats(ajv);
    const isValid = ajv.compile(rest);
    return values.map((value) => isValid(value));
  } catch (error) {
    return String(error);
  }
}

for (const one of made) {
  const [, schema, own = []] = one;
  const values = [...samples, ...own];
  one.splice(2, 1, values, judged(schema, values));
}
console.log(JSON.stringify(made));
