import {
  createAccount,
  createCluster,
  createCurve,
  createOperator,
  createServer,
  createUser,
  type KeyPair,
} from '@nats-io/nkeys';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { beginsAsSeed, holdsSeed, isPublicKey, type KeyKind } from './bus-principals.js';

const RUNS = process.env.CI ? 10_000 : 2_500;
const KEY_LENGTH = 56;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const creators = {
  account: createAccount,
  user: createUser,
  operator: createOperator,
  server: createServer,
  cluster: createCluster,
  curve: createCurve,
};
type Creator = keyof typeof creators;
const kindOf: Partial<Record<Creator, KeyKind>> = { account: 'A', user: 'U' };

const seedOf = (pair: KeyPair) => Buffer.from(pair.getSeed()).toString();
const made = (creator: () => KeyPair) => Array.from({ length: 20 }, () => creator().getPublicKey());
const publicKeys: Record<KeyKind, string[]> = { A: made(createAccount), U: made(createUser) };

const kinds: KeyKind[] = ['A', 'U'];
const isAnyPublicKey = (text: string) => kinds.some((kind) => isPublicKey(kind, text));

/**
 * Writes an nkey without the library: prefix, payload and CRC-16/XMODEM in little-endian, in base32 without padding.
 */
function encode(prefix: number, payload: Uint8Array, checksumFault = 0): string {
  const bytes = [prefix, ...payload];
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : crc << 1;
  }
  crc ^= checksumFault;
  const bits = [...bytes, crc & 0xff, crc >> 8].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** Replaces `removed` characters from `at` on. */
const splice = (text: string, at: number, removed: number, inserted: string) =>
  text.slice(0, at) + inserted + text.slice(at + removed);

const index = fc.nat(KEY_LENGTH - 1);
const base32 = fc.constantFrom(...ALPHABET);
const payloadOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

/** Every one of these changes the text of a key; the checksum detects any change within 16 bits. */
const mutation: fc.Arbitrary<(key: string) => string> = fc.oneof(
  fc.tuple(index, base32).map(
    ([at, character]) =>
      (key: string) =>
        splice(key, at, 1, character),
  ),
  fc.tuple(index, fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })).map(
    ([at, character]) =>
      (key: string) =>
        splice(key, at, 1, character),
  ),
  fc.tuple(fc.nat(KEY_LENGTH), fc.string({ unit: base32, minLength: 1, maxLength: 60 })).map(
    ([at, inserted]) =>
      (key: string) =>
        splice(key, at, 0, inserted),
  ),
  fc.tuple(fc.nat(KEY_LENGTH), fc.constantFrom('=', ' ', '\n', '\r\n', '\t', '\0', '\u200b', '0', '1', '-')).map(
    ([at, inserted]) =>
      (key: string) =>
        splice(key, at, 0, inserted),
  ),
  fc.tuple(index, fc.integer({ min: 1, max: KEY_LENGTH })).map(
    ([at, removed]) =>
      (key: string) =>
        splice(key, at, removed, ''),
  ),
  fc.nat(KEY_LENGTH - 2).map((at) => (key: string) => splice(key, at, 2, `${key[at + 1]}${key[at]}`)),
  index.map((at) => (key: string) => splice(key, at, 1, (key[at] ?? '').toLowerCase())),
  fc.constant((key: string) => key.toLowerCase()),
  fc
    .constantFrom('OQ', 'NQ', 'CQ', 'XQ', 'PQ', 'SU', 'SA', 'A', 'U', '2')
    .map((start) => (key: string) => splice(key, 0, start.length, start)),
);

describe('a public nkey', () => {
  test('is accepted as its own kind, and as no other', () => {
    for (const kind of kinds) {
      for (const key of publicKeys[kind]) {
        expect(
          kinds.filter((other) => isPublicKey(other, key)),
          key,
        ).toEqual([kind]);
      }
    }
  });

  test('is refused after any change of its text', () => {
    const key = fc.constantFrom(...kinds).chain((kind) => fc.constantFrom(...publicKeys[kind]));
    fc.assert(
      fc.property(key, mutation, (original, mutate) => {
        const mutated = mutate(original);
        fc.pre(mutated !== original);
        expect(isAnyPublicKey(mutated), JSON.stringify(mutated)).toBe(false);
      }),
      { numRuns: RUNS },
    );
  });

  test('has exactly 32 bytes with the prefix of its kind and the right checksum', () => {
    const fault = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 0xffff }));
    const length = fc.oneof({ weight: 3, arbitrary: fc.constant(32) }, { weight: 1, arbitrary: fc.nat(70) });
    const prefix = fc.oneof(fc.constantFrom(0, 160), fc.nat(255));
    const accepted = new Set<string>();
    fc.assert(
      fc.property(prefix, length.chain(payloadOf), fault, (first, payload, checksumFault) => {
        const isWhole = payload.length === 32 && checksumFault === 0;
        const text = encode(first, payload, checksumFault);
        expect(isPublicKey('A', text), text).toBe(isWhole && first === 0);
        expect(isPublicKey('U', text), text).toBe(isWhole && first === 160);
        if (isAnyPublicKey(text)) accepted.add(text.charAt(0));
      }),
      { numRuns: RUNS },
    );
    expect(accepted).toEqual(new Set(kinds));
  });

  test('has one spelling: extra bits at its end and other base32 alphabets are refused', () => {
    const [key = ''] = publicKeys.U;
    // 57 characters decode to the same 35 bytes for any last character.
    for (const character of ALPHABET) expect(isPublicKey('U', key + character)).toBe(false);
    for (const text of ['', 'U', key.replaceAll('U', 'u'), `${key}\n`, ` ${key}`, `${key}========`, `${key}${key}`]) {
      expect(isPublicKey('U', text), text).toBe(false);
    }
  });
});

describe.each(Object.keys(creators) as Creator[])('a key of kind %s', (creator) => {
  test('is accepted in its public form if this kind is required, and never in its private form', () => {
    for (let count = 0; count < 20; count++) {
      const pair = creators[creator]();
      const accepting = kinds.filter((kind) => isPublicKey(kind, pair.getPublicKey()));
      expect(accepting).toEqual(kinds.filter((kind) => kind === kindOf[creator]));
      expect(isAnyPublicKey(seedOf(pair))).toBe(false);
      expect(holdsSeed(pair.getPublicKey()) || beginsAsSeed(pair.getPublicKey())).toBe(false);
    }
  });

  test('is recognised by its seed in any text and case', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (before, after) => {
        const seed = seedOf(creators[creator]());
        expect(holdsSeed(before + seed + after)).toBe(true);
        expect(holdsSeed(before + seed.toLowerCase() + after)).toBe(true);
        expect(beginsAsSeed(seed + after)).toBe(true);
        expect(beginsAsSeed(` ${seed.toLowerCase()}${after}`)).toBe(true);
      }),
    );
  });
});

test('a name that only begins like a seed is not a seed', () => {
  const seed = seedOf(createUser());
  for (const text of ['SUPPLIER', 'SA', seed.slice(0, -1), seed.slice(1), `${seed.slice(0, 30)}-${seed.slice(30)}`]) {
    expect(holdsSeed(text), text).toBe(false);
  }
});
