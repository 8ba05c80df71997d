import { hmacSha256, type RejectCase, type RequestCase, rebootBody, type Signing, sha256 } from './cases.js';

const list = '/api/v1/open/downlink/commands';

const signatureCase = (
  name: string,
  why: string,
  signature: (right: Signing) => string,
  request: Partial<RequestCase> = {},
): RejectCase => ({
  name: `signature-${name}`,
  why,
  judge: 'signature',
  code: 'UNAUTHENTICATED',
  method: 'POST',
  target: list,
  body: rebootBody,
  ...request,
  signature,
});

const v1 = (key: string | Buffer, text: string): string => `v1=${hmacSha256(key, text)}`;

/** Signs with one of the seven lines replaced, counted from 0. */
const withLine =
  (index: number, change: (line: string) => string) =>
  ({ lines, secret }: Signing): string =>
    v1(secret, lines.map((line, at) => (at === index ? change(line) : line)).join('\n'));

const withText =
  (change: (text: string) => string) =>
  ({ lines, secret }: Signing): string =>
    v1(secret, change(lines.join('\n')));

const withKey =
  (change: (secret: string) => string | Buffer) =>
  ({ lines, secret }: Signing): string =>
    v1(change(secret), lines.join('\n'));

const flip = (line: string): string => `${line.slice(0, -1)}${line.endsWith('0') ? '1' : '0'}`;
const withQuery = {
  method: 'GET',
  body: '',
  target: `${list}?status=ACCEPTED&created_after=2026-01-01T00:00:00%2B02:00`,
};

export const signatureCases: RejectCase[] = [
  signatureCase(
    'other-algorithm-line',
    'Line 1 changed by one byte.',
    withLine(0, () => 'HMAC-SHA256-V2'),
  ),
  signatureCase(
    'other-method',
    'Line 2 changed: signed for PUT, sent as POST.',
    withLine(1, () => 'PUT'),
  ),
  signatureCase(
    'lower-case-method',
    'Line 2 is upper case.',
    withLine(1, (line) => line.toLowerCase()),
  ),
  signatureCase(
    'other-path',
    'Line 3 changed by one byte of the path.',
    withLine(2, (line) => line.slice(0, -1)),
  ),
  signatureCase(
    'other-query',
    'Line 3 changed by one byte of the query.',
    withLine(2, (line) => line.replace('02:00', '03:00')),
    withQuery,
  ),
  signatureCase(
    'other-client-id',
    'Line 4 changed by one byte.',
    withLine(3, () => 'demo-clienu'),
  ),
  signatureCase(
    'other-timestamp',
    'Line 5 changed by one second.',
    withLine(4, () => '1767225601'),
  ),
  signatureCase('other-nonce', 'Line 6 changed by one byte.', withLine(5, flip)),
  signatureCase(
    'other-body',
    'Line 7: one byte of the body changed.',
    withLine(6, () => sha256(Buffer.from(rebootBody.replace('0042', '0043')))),
  ),
  signatureCase(
    'body-without-its-newline',
    'Line 7: signed without the newline that is sent.',
    withLine(6, () => sha256(Buffer.from(rebootBody))),
    { body: `${rebootBody}\n` },
  ),
  signatureCase(
    'body-left-out',
    'Line 7: signed as if there were no body.',
    withLine(6, () => sha256(Buffer.alloc(0))),
  ),
  signatureCase(
    'body-hash-empty',
    'Line 7 of a request without body is the hash of nothing, not an empty line.',
    withLine(6, () => ''),
    { method: 'GET', body: '' },
  ),
  signatureCase(
    'body-hash-upper-case',
    'Line 7 is lower-case hex.',
    withLine(6, (line) => line.toUpperCase()),
  ),
  signatureCase(
    'body-hash-base64',
    'Line 7 is hex.',
    withLine(6, (line) => Buffer.from(line, 'hex').toString('base64')),
  ),
  signatureCase(
    'body-itself',
    'Line 7 is the hash of the body, not the body.',
    withLine(6, () => rebootBody),
  ),
  signatureCase(
    'target-decoded',
    'Line 3 rewritten: percent-encoding decoded.',
    withLine(2, decodeURIComponent),
    withQuery,
  ),
  signatureCase(
    'target-hex-lower-cased',
    'Line 3 rewritten: the case of the hex digits changed.',
    withLine(2, (line) => line.replace('%2B', '%2b')),
    withQuery,
  ),
  signatureCase(
    'target-encoded-further',
    'Line 3 rewritten: colons encoded that were sent plain.',
    withLine(2, (line) => line.replaceAll(':', '%3A')),
    withQuery,
  ),
  signatureCase(
    'target-sorted',
    'Line 3 rewritten: parameters sorted.',
    withLine(
      2,
      (line) =>
        `${list}?${line
          .slice(list.length + 1)
          .split('&')
          .sort()
          .join('&')}`,
    ),
    withQuery,
  ),
  signatureCase(
    'target-without-query',
    'Line 3 rewritten: the query left out.',
    withLine(2, () => list),
    withQuery,
  ),
  signatureCase(
    'target-with-host',
    'Line 3 rewritten: the host is not signed.',
    withLine(2, (line) => `https://example.com${line}`),
  ),
  signatureCase(
    'target-with-base-path',
    'Line 3 rewritten: a path prefix of the base URL is not signed.',
    withLine(2, (line) => `/gateway${line}`),
  ),
  signatureCase(
    'target-with-trailing-slash',
    'Line 3 rewritten: a slash added.',
    withLine(2, (line) => `${line}/`),
  ),
  signatureCase(
    'trailing-newline',
    'There is no newline behind the last line.',
    withText((text) => `${text}\n`),
  ),
  signatureCase(
    'crlf',
    'Lines are joined by a line feed alone.',
    withText((text) => text.replaceAll('\n', '\r\n')),
  ),
  signatureCase('lines-swapped', 'Timestamp comes before nonce.', ({ lines: [a, b, c, d, e, f, g], secret }) =>
    v1(secret, [a, b, c, d, f, e, g].join('\n')),
  ),
  signatureCase(
    'without-algorithm-line',
    'The first line is part of the string.',
    withText((text) => text.slice(text.indexOf('\n') + 1)),
  ),
  signatureCase(
    'other-secret',
    'Signed with the secret of another credential.',
    withKey(() => 'osk_zY7wV2uT9sR4qP1oN6mL3kJ8iH5gF0eDcBaZyXwVuTs1b4uXw'),
  ),
  signatureCase(
    'secret-without-prefix',
    'The key is the whole text of the secret.',
    withKey((secret) => secret.slice(4)),
  ),
  signatureCase(
    'secret-with-newline',
    'The newline of a file is not part of the secret.',
    withKey((secret) => `${secret}\n`),
  ),
  signatureCase(
    'secret-hashed',
    'The key is not hashed first.',
    withKey((secret) => Buffer.from(sha256(Buffer.from(secret)), 'hex')),
  ),
  signatureCase(
    'empty-key',
    'An unset variable is not a key.',
    withKey(() => ''),
  ),
  signatureCase(
    'plain-hash',
    'A hash of secret and text is not an HMAC.',
    ({ lines, secret }) => `v1=${sha256(Buffer.from(secret + lines.join('\n')))}`,
  ),
  signatureCase('hashed-before', 'The string itself is authenticated, not its hash.', ({ lines, secret }) =>
    v1(secret, sha256(Buffer.from(lines.join('\n')))),
  ),
  signatureCase(
    'first-digit-changed',
    'The whole signature is compared.',
    ({ hex }) => `v1=${hex.startsWith('0') ? '1' : '0'}${hex.slice(1)}`,
  ),
  signatureCase('last-digit-changed', 'The whole signature is compared.', ({ hex }) => `v1=${flip(hex)}`),
  signatureCase(
    'all-zeros',
    'The key of an unknown credential is not one that can be guessed.',
    () => `v1=${'0'.repeat(64)}`,
  ),
];
