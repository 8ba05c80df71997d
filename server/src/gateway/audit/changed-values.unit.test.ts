import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { changedValues } from './audit.js';

const whole = { request_id: 'r-1', created_at: '2026', updated_at: '2026', name: 'Acme', scopes: ['a', 'b'] };

test('keeps all fields of a created or deleted resource, except the constant ones', () => {
  const values = { name: 'Acme', scopes: ['a', 'b'] };
  expect(changedValues(null, whole)).toEqual({ before: null, after: values });
  expect(changedValues(whole, null)).toEqual({ before: values, after: null });
});

test('keeps the fields that an update changed, on both sides', () => {
  const after = { ...whole, request_id: 'r-2', updated_at: '2027', scopes: ['a'] };
  expect(changedValues(whole, after)).toEqual({ before: { scopes: ['a', 'b'] }, after: { scopes: ['a'] } });
  expect(changedValues(whole, { ...whole, request_id: 'r-2' })).toEqual({ before: {}, after: {} });
});

test('records the change of a secret, only on the side of the change', () => {
  const secrets = { secret: 'rotated', session_token: undefined } as const;
  expect(changedValues(whole, whole, secrets)).toEqual({ before: {}, after: { secret: 'rotated' } });
});

test('replaces a large value by its size and the hash of its canonical JSON', () => {
  const text = 'ü'.repeat(1_100);
  const { after } = changedValues({ schema: {} }, { schema: { b: text, a: 1 } });
  const canonical = `{"a":1,"b":"${text}"}`;
  expect(after?.schema).toEqual({
    bytes: Buffer.byteLength(canonical),
    sha256: createHash('sha256').update(canonical).digest('hex'),
  });
});

test('bounds the values of an entry, however many fields it has', () => {
  const fields = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`field_${index}`, 'x'.repeat(2_000)]));
  const { after } = changedValues(null, fields);
  expect(Object.keys(after ?? {})).toHaveLength(30);
  expect(JSON.stringify(after).length).toBeLessThan(8_192 + 30 * 130);
  expect(after?.field_0).toBe(fields.field_0);
  expect(after?.field_29).toMatchObject({ bytes: 2_002 });
});
