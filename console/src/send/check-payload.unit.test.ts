import { expect, test } from 'vitest';
import { checkPayload } from './check-payload';

const places = (schema: object, payload: unknown) =>
  checkPayload(schema, payload).map(({ steps, kind }) => [steps.join('/'), kind]);

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

test('each fault is told once, at its place', () => {
  expect(places(schema, { celsius: 21 })).toEqual([]);
  expect(places(schema, { other: 1, 'a/b ~c': { on: 1 }, list: ['a', 2] }).sort()).toEqual([
    ['a/b ~c/on', 'OTHER'],
    ['celsius', 'REQUIRED'],
    ['list/1', 'OTHER'],
    ['other', 'NOT_ALLOWED'],
  ]);
});

test('of alternatives that all fail, it is told that none fits', () => {
  const either = { properties: { a: { oneOf: [{ type: 'string' }, { type: 'object', required: ['b'] }] } } };
  expect(places(either, { a: 1 })).toEqual([['a', 'OTHER']]);
});

test('patterns are for the platform: none of them runs here, and none causes a fault', () => {
  const slow = { properties: { a: { type: 'string', pattern: '^(a+)+$' }, b: { pattern: '(?i)^x$' } } };
  expect(places(slow, { a: `${'a'.repeat(50)}!`, b: 'y' })).toEqual([]);
  expect(places(slow, { a: 1 })).toEqual([['a', 'OTHER']]);
});

test.each([
  [{ properties: { a: { not: { pattern: '^x' } } } }, { a: 'y' }],
  [{ properties: { a: { oneOf: [{ pattern: '^x' }, { pattern: '^y' }] } } }, { a: 'y' }],
  [JSON.parse('{"if":{"properties":{"a":{"pattern":"^x"}}},"then":{"required":["b"]}}'), { a: 'y' }],
  [{ patternProperties: { '^x': { type: 'number' } }, additionalProperties: false }, { x1: 1 }],
  [{ allOf: [{ patternProperties: { '^x': {} } }], unevaluatedProperties: false }, { x1: 1 }],
  [{ properties: { a: { not: { $ref: '#/$defs/x' } } }, $defs: { x: { pattern: '^x' } } }, { a: 'y' }],
])('%j takes %j, whatever the pattern says', (given, payload) => {
  expect(places(given, payload)).toEqual([]);
});

test('a property or a constant named pattern stays', () => {
  const named = { properties: { pattern: { type: 'number' }, a: { const: { pattern: 'x' } } } };
  expect(places(named, { pattern: 'x', a: { pattern: 'x' } })).toEqual([['pattern', 'OTHER']]);
});

test('the schema stays as it was, and one that cannot be read finds nothing', () => {
  const frozen = JSON.stringify(schema);
  checkPayload(schema, {});
  expect(JSON.stringify(schema)).toBe(frozen);
  expect(places({ $ref: '#/$defs/none' }, {})).toEqual([]);
});
