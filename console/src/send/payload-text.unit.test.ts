import { expect, test } from 'vitest';
import { payloadText, readPayload } from './payload-text';

test.each([
  '{}',
  '{"a":{"b":[1,-2.50,1e3,"1.0000000000000000000001",{"a":"a:"}],"c\\u0061":null}}',
  '{"large":9007199254740991,"small":1e-300,"power":1e300,"zero":0.0}',
])('%s is read', (text) => {
  expect(readPayload(text)).toEqual({ payload: JSON.parse(text) });
});

test.each([
  ['', 'NOT_JSON'],
  ['{a:1}', 'NOT_JSON'],
  ['[]', 'NOT_AN_OBJECT'],
  ['null', 'NOT_AN_OBJECT'],
  ['"{}"', 'NOT_AN_OBJECT'],
  ['{"a":9007199254740993}', 'INEXACT_NUMBER'],
  ['{"a":0.1000000000000000000001}', 'INEXACT_NUMBER'],
  ['{"a":1e400}', 'INEXACT_NUMBER'],
  ['{"a":1e-400}', 'INEXACT_NUMBER'],
  ['{"a":-0}', 'INEXACT_NUMBER'],
  ['{"a":1,"b":{"c":1,"\\u0063":2}}', 'REPEATED_NAME'],
  ['{"a":{"__proto__":{}}}', 'FORBIDDEN_NAME'],
])('%s is not sent: %s', (text, kind) => {
  expect(readPayload(text).problem?.kind).toBe(kind);
});

test('what is printed is read again', () => {
  const payload = { text: '"quoted": \\', list: [{ a: 1 }] };
  expect(readPayload(payloadText(payload))).toEqual({ payload });
});
