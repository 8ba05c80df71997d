import { randomUUID } from 'node:crypto';
import { createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_4 = 'http://json-schema.org/draft-04/schema';

const vendor = `vendor-${randomUUID()}`;
const path = `/api/v1/platform/catalog/vendors/${vendor}`;

const tenant = await createTenant();
await signedRequest(platform().admin, 'PUT', path, { body: { enabled: true } });

const put = (command_type: string, payload_schema: unknown) =>
  signedRequest(platform().admin, 'PUT', `${path}/command-types/${command_type}`, {
    body: { description: 'Of a test.', payload_schema },
  });

async function send(command_type: string, payload: unknown) {
  const command = { vendor, device_id: 'device-1', command_type, payload, idempotency_key: randomUUID() };
  return signedRequest(tenant.operator, 'POST', '/api/v1/open/downlink/commands', { body: command });
}

/** A nested object of this depth. */
const nested = (levels: number): object => (levels === 1 ? {} : { items: nested(levels - 1) });

/** $defs that each refer twice to the next one. */
const doubling = (levels: number) => ({
  $ref: '#/$defs/0',
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, level) => {
      const next = { $ref: `#/$defs/${level + 1}` };
      return [level, level === levels - 1 ? { type: 'object' } : { allOf: [next, next] }];
    }),
  ),
});

const padded = (bytes: number) => {
  const empty = JSON.stringify({ $comment: '' }).length;
  return { $comment: 'a'.repeat(bytes - empty) };
};

/** A schema whose payloads are `{"a": […]}`. */
const eachItem = (schema: object) => ({ properties: { a: { items: schema } } });

const slow: Record<string, object> = {
  'hundreds of alternatives for each item': { ...eachItem({ $ref: '#/$defs/0' }), $defs: doubling(10).$defs },
  'every value compared again and again': eachItem({ anyOf: Array.from({ length: 200 }, (_, n) => ({ const: [n] })) }),
};

const UNRESOLVED = [
  'UNRESOLVED_REF',
  'must be # and the JSON Pointer of a schema inside, without %, # and spaces',
] as const;
const TOO_MUCH = ['TOO_MUCH_WORK', 'schemas to the same value, and 200 are allowed'] as const;
const RECURSIVE = ['RECURSIVE_REF', 'leads to itself'] as const;
const UNKNOWN = ['UNKNOWN_KEYWORD', 'is not a supported keyword of JSON Schema 2020-12'] as const;

type Refused = [name: string, schema: object, pointer: string, code?: string, reason?: string];

test.each<Refused>([
  // Not valid against the meta-schema.
  ['an unknown type', { properties: { a: { type: 'strng' } } }, '/properties/a/type', 'ENUM'],
  ['a negative length', { minLength: -1 }, '/minLength', 'MINIMUM', 'must be at least 0'],
  ['a zero multipleOf', { multipleOf: 0 }, '/multipleOf', 'EXCLUSIVE_MINIMUM', 'must be greater than 0'],
  ['required as a string', { required: 'a' }, '/required', 'TYPE', 'must be of type array'],
  ['a name required twice', { required: ['a', 'a'] }, '/required', 'UNIQUE_ITEMS'],
  ['properties as an array', { properties: [] }, '/properties', 'TYPE', 'must be of type object'],
  ['a schema that is a string', { anyOf: [{ not: 'a' }] }, '/anyOf/0/not', 'TYPE', 'must be of type object or boolean'],
  ['an empty list of alternatives', { oneOf: [] }, '/oneOf', 'MIN_ITEMS'],
  ['an array of items, of an older draft', { items: [{}] }, '/items', 'TYPE', 'must be of type object or boolean'],
  ['an unused definition', { $defs: { a: { type: 5 } } }, '/$defs/a/type', 'ENUM'],
  ['an $anchor with a forbidden character', { $anchor: '1' }, '/$anchor', 'PATTERN'],

  // Another dialect.
  ['draft 3', { $schema: 'http://json-schema.org/draft-03/schema#' }, '/$schema', 'UNKNOWN_DIALECT', DIALECT],
  ['more than the name of the dialect', { $schema: `${DIALECT}s` }, '/$schema', 'UNKNOWN_DIALECT', DIALECT],
  [
    'a keyword of a later draft',
    { $schema: DRAFT_7, properties: { a: { prefixItems: [] } } },
    '/properties/a/prefixItems',
    'UNKNOWN_KEYWORD',
    'is not a supported keyword of draft 7',
  ],
  ['a limit of a later draft', { $schema: DRAFT_4, exclusiveMaximum: 5 }, '/exclusiveMaximum', 'TYPE'],
  [
    'another base inside, in draft 4',
    { $schema: DRAFT_4, not: { id: 'https://a.example' } },
    '/not/id',
    'MISPLACED_KEYWORD',
  ],
  [
    'a recursive schema of draft 7',
    { $schema: DRAFT_7, $ref: '#/definitions/a', definitions: { a: { items: [{ $ref: '#/definitions/a' }] } } },
    '',
    'RECURSIVE_REF',
  ] as Refused,
  ['an unknown dialect', { $schema: 'https://example.com/dialect' }, '/$schema', 'UNKNOWN_DIALECT', DIALECT],
  ['a number for a dialect', { $schema: 5 }, '/$schema', 'TYPE', 'must be of type string'],
  ['another dialect inside', { not: { $schema: DIALECT } }, '/not/$schema', 'MISPLACED_KEYWORD'],
  ['another base inside', { not: { $id: 'https://example.com' } }, '/not/$id', 'MISPLACED_KEYWORD'],

  // Nothing would check these.
  ['a misspelt keyword', { requried: ['a'] }, '/requried', ...UNKNOWN],
  ['a misspelt keyword deep inside', { items: { anyOf: [{ maxLenght: 1 }] } }, '/items/anyOf/0/maxLenght', ...UNKNOWN],
  ['a misspelt keyword in an unused definition', { $defs: { 'a/b': { tpye: 1 } } }, '/$defs/a~1b/tpye', ...UNKNOWN],
  ['a keyword named like a member of every object', { constructor: {} }, '/constructor', ...UNKNOWN],
  ['a keyword of OpenAPI', { type: 'string', nullable: true }, '/nullable', ...UNKNOWN],
  ['a keyword of Ajv', { formatMinimum: '2026-01-01', format: 'date' }, '/formatMinimum', ...UNKNOWN],
  ['a keyword of an older draft', { dependencies: { a: ['b'] } }, '/dependencies', ...UNKNOWN],
  ['an unknown format', { format: 'datetime' }, '/format', 'UNKNOWN_FORMAT', 'is not a format'],
  ['a format that takes quadratic time', { format: 'url' }, '/format', 'UNKNOWN_FORMAT', 'is not a format'],
  ['a format that nobody checks', { format: 'iban' }, '/format', 'UNKNOWN_FORMAT', 'is not a format'],
  ['a format named like a member of every object', { not: { format: 'toString' } }, '/not/format', 'UNKNOWN_FORMAT'],

  // A promise would count as true.
  ['an asynchronous schema', { $async: true }, '/$async', ...UNKNOWN],
  ['an asynchronous schema inside', { properties: { a: { $async: true } } }, '/properties/a/$async', ...UNKNOWN],
  ['$async: false', { $async: false }, '/$async', ...UNKNOWN],

  // References.
  ['a reference to nothing', { $ref: '#/$defs/a' }, '/$ref', ...UNRESOLVED],
  ['a reference to an unknown $anchor', { $ref: '#a' }, '/$ref', ...UNRESOLVED],
  ['a reference to a member of every object', { $ref: '#/constructor' }, '/$ref', ...UNRESOLVED],
  ['a reference to the prototype', { not: { $ref: '#/__proto__' } }, '/not/$ref', ...UNRESOLVED],
  ['a reference to a value that is not a schema', { $ref: '#/enum/0', enum: [{}] }, '/$ref', ...UNRESOLVED],
  ['a reference that is not a URI', { $ref: '#/%' }, '/$ref', ...UNRESOLVED],
  ['a remote reference', { $ref: 'https://example.com/schema' }, '/$ref', ...UNRESOLVED],
  ['a reference to a file', { items: { $ref: 'file:///etc/passwd' } }, '/items/$ref', ...UNRESOLVED],
  ['a reference to the meta-schema', { $ref: DIALECT }, '/$ref', ...UNRESOLVED],
  ['a reference outside the schema', { $id: 'https://example.com/a', $ref: 'b' }, '/$ref', ...UNRESOLVED],
  ['a dynamic reference to nothing', { $dynamicRef: '#a' }, '/$dynamicRef', ...UNKNOWN],
  ['a remote dynamic reference', { $dynamicRef: 'https://example.com#a' }, '/$dynamicRef', ...UNKNOWN],
  ['a dynamic anchor', { $dynamicAnchor: 'a' }, '/$dynamicAnchor', ...UNKNOWN],
  ['a recursive reference of an older draft', { $recursiveRef: '#' }, '/$recursiveRef', ...UNKNOWN],
  ['an $anchor', { $defs: { a: { $anchor: 'a' } } }, '/$defs/a/$anchor', ...UNKNOWN],
  ['a reference that ends with #', { $ref: '#/$defs/a#', $defs: { 'a#': {}, a: {} } }, '/$ref', ...UNRESOLVED],
  ['an encoded reference', { $ref: '#/%24defs/a', $defs: { a: {} } }, '/$ref', ...UNRESOLVED],

  // Unbounded, or as deep as the payload with more checks at each level.
  ['itself', { $ref: '#' }, '', ...RECURSIVE],
  ['itself in an alternative', { anyOf: [{ type: 'object' }, { not: { $ref: '#' } }] }, '', ...RECURSIVE],
  ['itself in a property', { properties: { a: { $ref: '#/properties/a' } } }, '', ...RECURSIVE],
  ['itself in a condition', { items: { if: { $ref: '#/items' }, else: {} } }, '', ...RECURSIVE],
  [
    'itself through another schema',
    {
      items: { $ref: '#/$defs/a' },
      $defs: { a: { $ref: '#/$defs/b' }, b: { dependentSchemas: { c: { $ref: '#/$defs/a' } } } },
    },
    '',
    ...RECURSIVE,
  ],
  ['itself for the values inside', { properties: { children: { items: { $ref: '#' } } } }, '', ...RECURSIVE],
  [
    'ever more work in the values inside',
    {
      $ref: '#/$defs/0',
      $defs: Object.fromEntries(
        Array.from({ length: 20 }, (_, level) => {
          const inside = { properties: { a: level === 19 ? {} : { $ref: `#/$defs/${level + 1}` } } };
          return [level, { allOf: [inside, inside] }];
        }),
      ),
    },
    '',
    ...TOO_MUCH,
  ],
  ['ever more work', doubling(200), '', ...TOO_MUCH],

  // Each of these kept the process busy for up to 3 seconds with one payload of 32 KiB.
  ...Object.entries(slow).map(([name, schema]): Refused => [name, schema, '', ...TOO_MUCH]),

  // Patterns.
  ['an open group', { items: { pattern: '(' } }, '/items/pattern', 'INVALID_PATTERN', 'missing closing )'],
  ['an escape of no meaning', { pattern: '\\y' }, '/pattern', 'INVALID_PATTERN', 'invalid escape'],
  ['a look ahead', { pattern: '(?=a)' }, '/pattern', 'INVALID_PATTERN', 'Perl syntax'],
  ['a reference back', { pattern: '(a)\\1' }, '/pattern', 'INVALID_PATTERN', 'invalid escape'],
  [
    'a property pattern',
    { patternProperties: { 'a/*+': {} } },
    '/patternProperties/a~1*+',
    'INVALID_PATTERN',
    'repeti',
  ],

  // Size.
  ['one byte more than 16 KiB', padded(16_385), '', 'TOO_LARGE', 'has more than 16384 bytes of JSON or 16 levels'],
  ['bytes, not characters', { $comment: 'é'.repeat(8_200) }, '', 'TOO_LARGE'],
  ['17 levels', nested(17), '', 'TOO_LARGE', 'or 16 levels'],
  ['17 levels of a value that is not a schema', { const: nested(16) }, '', 'TOO_LARGE'],
])('refuses %s', async (_, schema, pointer, code, reason = '') => {
  const { status, body } = await put(`type-${randomUUID()}`, schema);
  expect([status, body.code]).toEqual([422, 'PAYLOAD_SCHEMA_INVALID']);
  const [detail] = body.details;
  expect([detail.location, detail.code]).toEqual([`body/payload_schema${pointer}`, code]);
  expect(detail.message).toContain(reason);
  expect(body.message).toContain(`${detail.location} ${detail.message}`);
});

test('names every fault of a schema, at most 20', async () => {
  const { body } = await put('faults', { a: 1, format: 'b', not: { $ref: 'c' } });
  const locations = body.details.map(({ location }: { location: string }) =>
    location.slice('body/payload_schema'.length),
  );
  expect(locations).toEqual(['/a', '/format', '/not/$ref']);
  const many = await put('faults', Object.fromEntries(Array.from({ length: 99 }, (_, index) => [`a${index}`, 1])));
  expect(many.body.details).toHaveLength(20);
});

test('the name __proto__ is refused before the schema is checked', async () => {
  const body = Buffer.from('{"description":"a","payload_schema":{"properties":{"__proto__":{"type":"string"}}}}');
  const { status, body: answer } = await signedRequest(platform().admin, 'PUT', `${path}/command-types/a`, { body });
  expect([status, answer.code, answer.details[0].location]).toEqual([
    400,
    'MALFORMED_JSON',
    'body/payload_schema/properties/__proto__',
  ]);
});

test('a refused schema leaves nothing behind, and the existing one unchanged', async () => {
  await put('never', { requried: [] });
  const { body } = await put('kept', { type: 'object' });
  await put('kept', { $ref: '#' });
  const list = await signedRequest(platform().admin, 'GET', `${path}/command-types?limit=500`);
  const names = list.body.items.map(({ command_type }: { command_type: string }) => command_type);
  expect(names).not.toContain('never');
  expect(list.body.items).toContainEqual({ ...body, request_id: list.body.request_id });
});

describe('accepts', () => {
  /** If each reference were replaced by the code of its target, compiling would take minutes and gigabytes. */
  const referring = {
    $defs: { large: { oneOf: [{ type: 'string' }, ...Array.from({ length: 150 }, () => ({ type: 'array' }))] } },
    properties: Object.fromEntries(Array.from({ length: 24 }, (_, index) => [`a${index}`, { $ref: '#/$defs/large' }])),
  };
  const overlapping = {
    properties: { ab: { type: 'string' } },
    patternProperties: { '^a': { maxLength: 2 } },
    unevaluatedProperties: false,
  };

  test.each<[string, object, unknown[], unknown[]]>([
    ['an empty schema', {}, [{}, { a: 1 }], []],
    ['the dialect by its name', { $schema: DIALECT, maxProperties: 0 }, [{}], [{ a: 1 }]],
    ['exactly 16 KiB', padded(16_384), [{}], []],
    ['exactly 16 levels', nested(16), [{}], []],
    // In ECMAScript this pattern would take longer than the age of the universe.
    [
      'a pattern, in time proportional to the text',
      { properties: { a: { pattern: '^(a+)+$' } } },
      [{ a: 'a'.repeat(30_000) }],
      [{ a: `${'a'.repeat(30_000)}!` }],
    ],
    [
      'a pointer of many escapes',
      { properties: { a: { $ref: '#/$defs/x~1y~0' } }, $defs: { 'x/y~': { type: 'string' } } },
      [{ a: 'a' }],
      [{ a: 1 }],
    ],
    [
      'an $id, even the one of the meta-schema',
      { $id: DIALECT, $ref: '#/$defs/a', $defs: { a: { required: ['a'] } } },
      [{ a: 1 }],
      [{}],
    ],
    ['references that expand to more than a hundred schemas', doubling(6), [{}], []],
    ['hundreds of references to one large schema', referring, [{ a1: 'a' }], [{ a1: 1 }]],
    ['a pattern that overlaps with a property', overlapping, [{ ab: 'ab' }], [{ ab: 'abc' }, { b: 1 }]],
    [
      'multiples of decimals, of large and of small numbers',
      { properties: { a: { multipleOf: 0.1 }, b: { multipleOf: 1e12 }, c: { multipleOf: 1e-12 } } },
      [{ a: 0.3 }, { a: 20.3 }, { a: 0 }, { a: -123456.7 }, { b: 3e12 }, { c: 3e-12 }],
      [{ a: 0.35 }, { a: 123456.75 }, { b: 1 }, { b: 3e12 + 1 }, { b: 9e15 + 1 }, { c: 1.5e-12 }],
    ],
    [
      'items without duplicates',
      { properties: { a: { uniqueItems: true } } },
      [{ a: [1, '1', { b: 1 }, { b: 2 }, [1]] }],
      [{ a: [{ b: 1, c: 2 }, 1, { c: 2, b: 1 }] }],
    ],
    ['duplicate items if the schema allows them', { properties: { a: { uniqueItems: false } } }, [{ a: [1, 1] }], []],
    [
      'names that every object has',
      { properties: { toString: { type: 'string' } }, required: ['constructor'] },
      [{ constructor: 1 }],
      [{}, { toString: 'a' }, { constructor: 1, toString: 1 }],
    ],
    [
      'equal values, whatever their properties are called',
      { properties: { a: { const: { b: [1, 'c'], toString: 0 } }, d: { enum: [{}, null, { e: { valueOf: 1 } }] } } },
      [{ a: { toString: 0, b: [1, 'c'] } }, { d: {} }, { d: null }, { d: { e: { valueOf: 1 } } }],
      [{ a: { toString: 0, b: ['c', 1] } }, { a: {} }, { a: 1 }, { d: { toString: 1 } }, { d: { e: { valueOf: {} } } }],
    ],
    [
      'a date and a time',
      { properties: { a: { format: 'date-time' } } },
      [{ a: '2026-01-31T09:30:00Z' }],
      [{ a: 'a' }],
    ],
    [
      'a schema of draft 7',
      {
        $schema: DRAFT_7,
        properties: {
          pair: { items: [{ type: 'string' }, { $ref: '#/definitions/on' }], additionalItems: false },
          code: { pattern: '^(?i)x$' },
        },
        dependencies: { a: ['b'], c: { required: ['pair'] } },
        definitions: { on: { const: true } },
      },
      [{ pair: ['x', true] }, { a: 1, b: 1 }, { code: 'X' }],
      [{ pair: [1] }, { pair: ['x', false] }, { pair: ['x', true, 1] }, { a: 1 }, { c: 1 }, { code: 'y' }],
    ],
    [
      'a schema of draft 4',
      { $schema: DRAFT_4, id: 'https://a.example', properties: { a: { maximum: 5, exclusiveMaximum: true } } },
      [{ a: 4 }],
      [{ a: 5 }],
    ],
    ['a value of 20 levels', { $comment: 'any' }, [nested(20)], []],
  ])('%s', async (_, schema, accepted, refused) => {
    const commandType = `type-${randomUUID()}`;
    const { status, raw } = await put(commandType, schema);
    expect(status, raw).toBe(200);
    for (const payload of accepted) {
      const answer = await send(commandType, payload);
      expect(answer.status, answer.raw).toBe(202);
    }
    for (const payload of refused) {
      const answer = await send(commandType, payload);
      expect([answer.status, answer.body.code], JSON.stringify(payload)).toEqual([422, 'COMMAND_PAYLOAD_INVALID']);
    }
  });

  test('the same $id in two command types', async () => {
    const schema = (name: string) => ({
      $id: 'https://example.com/same',
      $ref: '#/$defs/a',
      $defs: { a: { required: [name] } },
    });
    for (const name of ['one', 'other']) expect((await put(name, schema(name))).status).toBe(200);
    expect((await send('one', { one: 1 })).status).toBe(202);
    expect((await send('one', { other: 1 })).status).toBe(422);
    expect((await send('other', { other: 1 })).status).toBe(202);
  });

  test('the seeded command types', async () => {
    const seeded = '/api/v1/platform/catalog/vendors/vendor_a/command-types';
    const { body } = await signedRequest(platform().admin, 'GET', seeded);
    expect(body.items.length).toBeGreaterThan(0);
    for (const { command_type, payload_schema } of body.items) {
      expect((await put(command_type, payload_schema)).status).toBe(200);
    }
  });
});
