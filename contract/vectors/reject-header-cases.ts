import { type RejectCase, withoutHeader } from './cases.js';

const headerCase = (name: string, why: string, change: Partial<RejectCase>): RejectCase => ({
  name: `headers-${name}`,
  why,
  judge: 'headers',
  code: 'UNAUTHENTICATED',
  ...change,
});

const repeat = (name: string, as = name) => ({
  headers: (right: string[]) => [
    ...right,
    ...right.filter((line) => line.startsWith(`${name}:`)).map((line) => line.replace(name, as)),
  ],
});

export const headerCases: RejectCase[] = [
  headerCase('no-id', 'X-Api-Id is missing.', withoutHeader('X-Api-Id')),
  headerCase('no-timestamp', 'X-Api-Timestamp is missing.', withoutHeader('X-Api-Timestamp')),
  headerCase('no-nonce', 'X-Api-Nonce is missing.', withoutHeader('X-Api-Nonce')),
  headerCase('no-signature', 'X-Api-Signature is missing.', withoutHeader('X-Api-Signature')),
  headerCase('none', 'The request is not signed at all.', { headers: () => [] }),
  headerCase('two-ids', 'Readers differ on which of two headers counts.', repeat('X-Api-Id')),
  headerCase(
    'two-timestamps',
    'Names are compared without regard to case.',
    repeat('X-Api-Timestamp', 'x-api-timestamp'),
  ),
  headerCase('two-nonces', 'Readers differ on which of two headers counts.', repeat('X-Api-Nonce')),
  headerCase('two-signatures', 'A second chance to guess is refused.', repeat('X-Api-Signature')),
  headerCase('joined-signatures', 'Two values in one header, as a proxy joins them.', {
    signature: ({ hex }) => `v1=${hex}, v1=${hex}`,
  }),
  headerCase('timestamp-in-milliseconds', 'The unit is the second.', { timestamp: '1767225600000' }),
  headerCase('timestamp-with-leading-zero', 'One instant has one spelling.', { timestamp: '0176722560' }),
  headerCase('timestamp-with-extra-zero', 'One instant has one spelling.', { timestamp: '01767225600' }),
  headerCase('timestamp-of-9-digits', 'Ten digits.', { timestamp: '999999999' }),
  headerCase('timestamp-with-sign', 'Digits only.', { timestamp: '+1767225600' }),
  headerCase('timestamp-with-fraction', 'Whole seconds.', { timestamp: '1767225600.0' }),
  headerCase('timestamp-in-words', 'Unix time, not RFC 3339.', { timestamp: '2026-01-01T00:00:00Z' }),
  headerCase('timestamp-empty', 'A value is needed.', { timestamp: '' }),
  headerCase('nonce-of-7-characters', 'One less than the shortest nonce.', { nonce: 'a1b2c3d' }),
  headerCase('nonce-of-129-characters', 'One more than the longest nonce.', { nonce: 'n'.repeat(129) }),
  headerCase('nonce-with-slash', 'Standard Base64 does not fit the alphabet.', { nonce: 'q83vEjRWeJA/' }),
  headerCase('nonce-with-equals-sign', 'Padding of Base64 does not fit the alphabet.', { nonce: 'q83vEjRWeJA=' }),
  headerCase('nonce-with-space', 'No white space within.', { nonce: '6f1c2a34 98bd4c0e' }),
  headerCase('nonce-empty', 'A value is needed.', { nonce: '' }),
  headerCase('id-of-65-characters', 'One more than the longest client id.', { client_id: 'c'.repeat(65) }),
  headerCase('id-with-hyphen-first', 'A client id fits a segment of a path.', { client_id: '-demo' }),
  headerCase('id-with-slash', 'A client id fits a segment of a path.', { client_id: 'demo/client' }),
  headerCase('id-empty', 'A value is needed.', { client_id: '' }),
  headerCase('signature-upper-case-hex', 'One signature has one spelling.', {
    signature: ({ hex }) => `v1=${hex.toUpperCase()}`,
  }),
  headerCase('signature-without-version', 'The version is part of the value.', { signature: ({ hex }) => hex }),
  headerCase('signature-v2', 'There is no version 2.', { signature: ({ hex }) => `v2=${hex}` }),
  headerCase('signature-upper-case-version', 'The version is lower case.', { signature: ({ hex }) => `V1=${hex}` }),
  headerCase('signature-63-digits', 'A truncated signature is not compared as far as it goes.', {
    signature: ({ hex }) => `v1=${hex.slice(0, 63)}`,
  }),
  headerCase('signature-65-digits', 'Whatever follows the signature is not ignored.', {
    signature: ({ hex }) => `v1=${hex}0`,
  }),
  headerCase('signature-half', 'A truncated signature is not compared as far as it goes.', {
    signature: ({ hex }) => `v1=${hex.slice(0, 32)}`,
  }),
  headerCase('signature-not-hex', 'Decoding hex leniently would cut it short.', {
    signature: ({ hex }) => `v1=${hex.slice(0, 62)}zz`,
  }),
  headerCase('signature-base64', 'The encoding is hex.', {
    signature: ({ hex }) => `v1=${Buffer.from(hex, 'hex').toString('base64')}`,
  }),
  headerCase('signature-quoted', 'No quotes.', { signature: ({ hex }) => `v1="${hex}"` }),
  headerCase('signature-with-space', 'No white space within.', { signature: ({ hex }) => `v1= ${hex}` }),
  headerCase('signature-empty', 'A value is needed.', { signature: () => 'v1=' }),
];
