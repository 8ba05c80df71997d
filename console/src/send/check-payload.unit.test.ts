import { expect, test } from 'vitest';
import { checkerOf } from './check-payload';
import { toErrorSchema, validator } from './form-validator';

const faultsOf = async (schema: Record<string, unknown>, payload: unknown) => (await checkerOf(schema))(payload);
const places = async (schema: Record<string, unknown>, payload: unknown) =>
  (await faultsOf(schema, payload)).map(({ location, message }) => [location, message]);

const schema = {
  type: 'object',
  properties: {
    celsius: { type: 'number', maximum: 35 },
    'a/b ~c': { type: 'object', properties: { on: { $ref: '#/$defs/flag' } }, required: ['on'] },
    list: { type: 'array', items: { type: 'string' } },
  },
  required: ['celsius'],
  additionalProperties: false,
  $defs: { flag: { type: 'boolean' } },
};

test('each fault is told once, at its place and at its field', async () => {
  expect(await places(schema, { celsius: 21 })).toEqual([]);
  const faults = await faultsOf(schema, { other: 1, 'a/b ~c': { on: 1 }, list: ['a', 2] });
  expect(faults.map(({ location, message }) => [location, message]).sort()).toEqual([
    ['payload/a~1b ~0c/on', 'must be of type boolean'],
    ['payload/celsius', 'is required'],
    ['payload/list/1', 'must be of type string'],
    ['payload/other', 'is not allowed'],
  ]);
  expect(toErrorSchema(faults)).toEqual({
    'a/b ~c': { on: { __errors: ['must be of type boolean'] } },
    celsius: { __errors: ['is required'] },
    list: { 1: { __errors: ['must be of type string'] } },
    other: { __errors: ['is not allowed'] },
  });
});

/** Each of them the page once took for valid: JavaScript reads these patterns differently, or never ends. */
test.each([
  [{ properties: { a: { pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(50)}!` }],
  [{ properties: { a: { pattern: '(?i)^x$' } } }, { a: 'y' }],
  [{ properties: { a: { not: { pattern: '^y' } } } }, { a: 'y' }],
  [{ patternProperties: { '^x': { type: 'string' } }, additionalProperties: false }, { x1: 1 }],
  [{ allOf: [{ patternProperties: { '^x': {} } }], unevaluatedProperties: false }, { y: 1 }],
  [{ $schema: 'http://json-schema.org/draft-07/schema#', properties: { a: { items: [true, false] } } }, { a: [1, 2] }],
])('%j refuses %j, as the platform does', async (given, payload) => {
  expect(await places(given, payload)).not.toEqual([]);
});

test('the schema stays as it was, and one that cannot be read finds nothing', async () => {
  const frozen = JSON.stringify(schema);
  await faultsOf(schema, {});
  expect(JSON.stringify(schema)).toBe(frozen);
  expect(await places({ $ref: '#/$defs/none' }, {})).toEqual([]);
});

test('a form knows which of its choices a value is', () => {
  const isChosen = (value: unknown) => validator.isValid({ const: 'on' }, value as never, {});
  expect([isChosen('on'), isChosen('off'), isChosen(undefined)]).toEqual([true, false, false]);
});
