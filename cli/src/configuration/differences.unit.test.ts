import { expect, test } from 'vitest';
import { differencesOf } from './differences.js';

test.each([
  ['scopes', ['a', 'b'], ['b', 'a']],
  ['expires_at', '2099-01-31T09:30:00.000Z', '2099-01-31T10:30:00+01:00'],
  ['url', 'https://hooks.acme.example/', 'HTTPS://Hooks.Acme.Example:443'],
  ['endpoint', 'https://objects.example.com', 'https://objects.example.com:443/'],
  ['payload_schema', { a: [{ b: 1, c: 2 }] }, { a: [{ c: 2, b: 1 }] }],
  ['vendors', null, null],
])('%s is the same however it is written', (field, from, to) => {
  expect(differencesOf(field, from, to)).toEqual([]);
});

test.each([
  ['name', 'A', 'B', [{ field: 'name', from: 'A', to: 'B' }]],
  ['vendors', null, ['v'], [{ field: 'vendors', from: null, to: ['v'] }]],
  ['scopes', ['b', 'a'], ['a'], [{ field: 'scopes', from: ['b', 'a'], to: ['a'] }]],
  ['expires_at', null, '2099-01-31T09:30:00Z', [{ field: 'expires_at', from: null, to: '2099-01-31T09:30:00Z' }]],
  ['url', 'https://a.example/', 'not a URL', [{ field: 'url', from: 'https://a.example/', to: 'not a URL' }]],
  [
    'payload_schema',
    { type: 'object', properties: { rpm: { maximum: 1 } }, required: ['a', 'b'] },
    { properties: { rpm: { maximum: 2, minimum: 0 } }, required: ['b', 'a'] },
    [
      { field: 'payload_schema.type', from: 'object', to: undefined },
      { field: 'payload_schema.properties.rpm.maximum', from: 1, to: 2 },
      { field: 'payload_schema.properties.rpm.minimum', from: undefined, to: 0 },
      { field: 'payload_schema.required', from: ['a', 'b'], to: ['b', 'a'] },
    ],
  ],
])('%s: both values of what differs', (field, from, to, expected) => {
  expect(differencesOf(field, from, to)).toEqual(expected);
});
