import { expect, test } from 'vitest';
import { formSchemaOf } from './form-schema';

test('a form has objects, lists, texts, numbers and choices, with their titles', () => {
  const form = formSchemaOf({
    type: 'object',
    properties: {
      power: { enum: ['on', 'off'], title: 'Power' },
      celsius: { type: 'number', minimum: 5, maximum: 35, description: 'Target.' },
      force: { type: 'boolean', default: false },
      mode: { oneOf: [{ const: 1, title: 'Slow' }, { const: 2 }] },
      at: { $ref: '#/$defs/time', title: 'When' },
      tags: { type: 'array', items: { type: 'string', maxLength: 5 }, maxItems: 3 },
      place: { properties: { room: { type: 'string', default: 'hall' } }, required: ['room', 'absent'] },
    },
    required: ['celsius'],
    additionalProperties: false,
    $defs: { time: { type: 'string', format: 'date-time' } },
  });
  expect(form).toEqual({
    schema: {
      type: 'object',
      properties: {
        power: { type: 'string', enum: ['on', 'off'], title: 'Power' },
        celsius: { type: 'number', minimum: 5, maximum: 35, description: 'Target.' },
        force: { type: 'string', enum: [true, false] },
        mode: {
          type: 'string',
          oneOf: [
            { const: 1, title: 'Slow' },
            { const: 2, title: '2' },
          ],
        },
        at: { type: 'string', format: 'date-time', title: 'When' },
        tags: { type: 'array', items: { type: 'string', maxLength: 5 }, maxItems: 3 },
        place: { type: 'object', properties: { room: { type: 'string' } }, required: ['room'] },
      },
      required: ['celsius'],
    },
    initial: { force: false, place: { room: 'hall' } },
    isWhole: true,
  });
});

test.each([
  [{}],
  [{ type: 'object', additionalProperties: false }],
  [{ properties: {} }],
  [{ oneOf: [{ properties: { a: { type: 'string' } } }] }],
  [{ properties: { a: true, b: {}, c: { oneOf: [{ type: 'string' }, { type: 'number' }] } } }],
  [{ enum: [{ a: 1 }] }],
  [{ $ref: '#/$defs/none' }],
])('%j has no form', (schema) => {
  expect(formSchemaOf(schema)).toBeNull();
});

test.each([
  [{ properties: { a: { type: 'string' }, b: {} } }],
  [{ properties: { a: { type: 'string' } }, oneOf: [{ required: ['a'] }, {}] }],
  [{ properties: { a: { type: 'string' } }, if: {}, else: {} }],
  [{ properties: { a: { type: ['string', 'null'] } } }],
  [{ properties: { a: { type: 'string' } }, additionalProperties: { type: 'number' } }],
  [{ properties: { a: { type: 'string' }, list: { prefixItems: [{}], items: { type: 'string' } } } }],
])('%j has a form that is not the whole', (schema) => {
  const form = formSchemaOf(schema);
  expect(form?.isWhole).toBe(false);
  expect(form?.schema.properties).toEqual({ a: { type: 'string' } });
});

test('no keyword of the form library is taken from a schema', () => {
  const form = formSchemaOf({
    properties: { a: { type: 'string', $id: 'ObjectField', 'ui:field': 'x', format: 'color', readOnly: true } },
  });
  expect(form?.schema.properties).toEqual({ a: { type: 'string' } });
});
