import { type RequestCase, rebootBody } from './cases.js';

const commands = { method: 'POST', target: '/api/v1/open/downlink/commands' };
const listWith = (query: string) => ({ target: `/api/v1/open/downlink/commands?${query}` });

export const acceptCases: RequestCase[] = [
  { name: 'get', why: 'The first test value of the documentation: no query, no body.' },
  {
    name: 'get-with-query',
    why: 'The second test value of the documentation: the query belongs to the target.',
    target: '/api/v1/platform/tenants/t1/credentials?limit=100',
  },

  { name: 'post-json', why: 'A body is covered by its SHA-256.', ...commands, body: rebootBody },
  {
    name: 'post-json-with-spaces',
    why: 'The bytes are hashed, not the value: the same JSON with other spaces has another signature.',
    ...commands,
    body: rebootBody.replaceAll(':', ': ').replaceAll(',', ', '),
  },
  {
    name: 'post-json-with-newlines',
    why: 'Line feeds in the body stay as they are.',
    ...commands,
    body: `${JSON.stringify(JSON.parse(rebootBody), null, 2)}\n`,
  },
  {
    name: 'post-json-with-crlf',
    why: 'Carriage returns in the body stay as they are.',
    ...commands,
    body: JSON.stringify(JSON.parse(rebootBody), null, 2).replaceAll('\n', '\r\n'),
  },
  { name: 'post-empty-body', why: 'A POST without a body hashes zero bytes.', ...commands },
  { name: 'post-empty-object', why: 'An empty object is a body of two bytes.', ...commands, body: '{}' },
  { name: 'post-one-space', why: 'White space alone is a body.', ...commands, body: ' ' },
  {
    name: 'post-two-byte-characters',
    why: 'Text is hashed as UTF-8: a precomposed é is two bytes.',
    ...commands,
    body: '{"note":"caf\u00e9 \u00df \u042f"}',
  },
  {
    name: 'post-decomposed-character',
    why: 'Text is not normalized: e and a combining accent differ from é.',
    ...commands,
    body: '{"note":"cafe\u0301"}',
  },
  {
    name: 'post-three-byte-characters',
    why: 'Text is hashed as UTF-8: characters of three bytes.',
    ...commands,
    body: '{"note":"\u8bbe\u5907\u91cd\u542f \u20ac"}',
  },
  {
    name: 'post-four-byte-characters',
    why: 'Text is hashed as UTF-8: characters that are surrogate pairs in UTF-16.',
    ...commands,
    body: '{"note":"\u{1f680}\u{1f3fd}"}',
  },
  {
    name: 'post-escaped-characters',
    why: 'Escapes of JSON are not decoded before hashing.',
    ...commands,
    body: '{"note":"caf\\u00e9 \\ud83d\\ude80 \\/ \\n"}',
  },
  {
    name: 'post-bytes-that-are-not-text',
    why: 'The signature covers bytes whatever they mean: hashing a decoded text would differ.',
    ...commands,
    body: Buffer.from('7b00ff80c328efbbbf0d0a7d', 'hex'),
  },
  {
    name: 'post-64-bytes',
    why: 'A body of exactly one block of SHA-256.',
    ...commands,
    body: `{"note":"${'a'.repeat(53)}"}`,
  },
  {
    name: 'post-2000-bytes',
    why: 'A body that reaches the server in more than one piece is hashed whole.',
    ...commands,
    body: `{"note":"${'0123456789'.repeat(198)}abcdefghi"}`,
  },
  {
    name: 'put-json',
    why: 'The method is part of what is signed.',
    method: 'PUT',
    target: '/api/v1/platform/tenants/t1/credentials/demo-client',
    body: '{"rotate_secret":true,"previous_secret_ttl_seconds":3600}',
  },
  {
    name: 'delete',
    why: 'A DELETE has no body.',
    method: 'DELETE',
    target: '/api/v1/platform/tenants/t1/role-bindings/demo-client/integration_operator',
  },
  { name: 'head', why: 'The method is signed as it is sent, also where the answer is 405.', method: 'HEAD' },

  {
    name: 'query-order-kept',
    why: 'Parameters are signed in the order sent, not sorted.',
    ...listWith('status=ACCEPTED&limit=5&device_id=SN-0042'),
  },
  {
    name: 'query-order-kept-reversed',
    why: 'The same parameters in another order have another signature.',
    ...listWith('device_id=SN-0042&limit=5&status=ACCEPTED'),
  },
  {
    name: 'query-plus-of-an-offset',
    why: 'The plus sign of a time offset is sent and signed as %2B.',
    ...listWith('created_after=2026-01-01T00:00:00%2B02:00'),
  },
  {
    name: 'query-lower-case-hex',
    why: 'Percent-encoding is signed as sent: lower-case hex stays lower case.',
    ...listWith('device_id=caf%c3%a9'),
  },
  {
    name: 'query-upper-case-hex',
    why: 'Percent-encoding is signed as sent: upper-case hex stays upper case.',
    ...listWith('device_id=caf%C3%A9'),
  },
  {
    name: 'query-three-byte-characters',
    why: 'A value outside ASCII is percent-encoded UTF-8, byte by byte.',
    ...listWith('device_id=%E8%AE%BE%E5%A4%87'),
  },
  {
    name: 'query-four-byte-character',
    why: 'A character beyond U+FFFF is four percent-encoded bytes.',
    ...listWith('device_id=%F0%9F%9A%80'),
  },
  {
    name: 'query-reserved-characters',
    why: 'Separators within a value are percent-encoded and not decoded before signing.',
    ...listWith('device_id=a%26b%3Dc%23d%3Fe%2Ff%25g%20h%22i%5Cj'),
  },
  {
    name: 'query-needless-encoding',
    why: 'A letter may be percent-encoded; it is signed as sent, not as the letter.',
    ...listWith('device_id=%53N-0042'),
  },
  {
    name: 'query-encoded-newline',
    why: 'A decoded newline would add a line to the string to sign.',
    ...listWith('device_id=a%0Ab'),
  },
  {
    name: 'query-all-plain-characters',
    why: 'These characters of a value stand for themselves and are not percent-encoded by the signer.',
    ...listWith('device_id=AZaz09._~:,-'),
  },
  {
    name: 'query-of-one-character',
    why: 'The shortest value; a name may have an underscore at either end.',
    ...listWith('_a_=0'),
  },
  {
    name: 'query-of-2048-bytes',
    why: 'The longest query.',
    ...listWith(`cursor=${'c'.repeat(2041)}`),
  },

  {
    name: 'path-of-1024-bytes',
    why: 'The longest path.',
    target: `/api/v1/open/downlink/commands/${'p'.repeat(993)}`,
  },
  {
    name: 'path-with-every-mark',
    why: 'These characters of a segment are never percent-encoded.',
    target: '/api/v1/platform/tenants/T_1-x/credentials/_a.b~c-D..',
  },
  {
    name: 'path-is-case-sensitive',
    why: 'Letters of the path keep their case.',
    target: '/api/v1/open/downlink/commands/019BD3A4-5C4E-7cc1-9D51-1d2f3a4b5c6d',
  },

  { name: 'nonce-of-8-characters', why: 'The shortest nonce.', nonce: 'a1b2c3d4' },
  { name: 'nonce-of-128-characters', why: 'The longest nonce.', nonce: 'n'.repeat(128) },
  { name: 'nonce-with-every-mark', why: 'All marks a nonce may have, in any place.', nonce: '-._~~_.-AZaz09' },
  { name: 'client-id-of-one-character', why: 'The shortest client id.', client_id: '_' },
  { name: 'client-id-of-64-characters', why: 'The longest client id, with every mark.', client_id: 'c.~-'.repeat(16) },
  { name: 'smallest-timestamp', why: 'The first timestamp of ten digits.', timestamp: '1000000000' },
  {
    name: 'largest-timestamp',
    why: 'The last timestamp of ten digits, beyond a signed integer of 32 bits.',
    timestamp: '9999999999',
  },
  {
    name: 'another-secret',
    why: 'The key is the secret as text, with its prefix: not decoded, not a number.',
    secret: 'osk_00000000000000000000000000000000000000000002czCLJ',
    ...commands,
    body: rebootBody,
  },
];
