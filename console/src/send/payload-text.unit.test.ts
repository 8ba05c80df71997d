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
  ['', 'This is not JSON.'],
  ['{a:1}', 'This is not JSON.'],
  ['[]', 'must be a JSON object'],
  ['null', 'must be a JSON object'],
  ['"{}"', 'must be a JSON object'],
  ['{"a":9007199254740993}', 'payload/a: an integer must be within ±9007199254740991'],
  ['{"a":0.1000000000000000000001}', 'more than 17 significant digits'],
  ['{"a":1e400}', 'too large'],
  ['{"a":1e-400}', 'too small'],
  ['{"a":1,"b":{"c":1,"\\u0063":2}}', 'payload/b/c: the name is repeated'],
  [`{"a":${'['.repeat(31)}${']'.repeat(31)}}`, 'nested deeper than 31 levels'],
  ['{"a":{"__proto__":{}}}', 'payload/a/__proto__: the name __proto__ is not allowed'],
])('%s is not sent: %s', (text, problem) => {
  expect(readPayload(text).problem).toContain(problem);
});

test('what is printed is read again', () => {
  const payload = { text: '"quoted": \\', list: [{ a: 1 }] };
  expect(readPayload(payloadText(payload))).toEqual({ payload });
});
