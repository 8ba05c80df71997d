import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { SEALED_NUMBER, sealedNumbers } from './keyring.js';

const key = randomBytes(32);
const acme = sealedNumbers(key, 'acme');
const at = (seq: string, generation = '00000000') => ({ generation, seq });

test('a sealed number opens for its owner with its key, and for no other', () => {
  for (const seq of ['0', '1', '4294967296', '9'.repeat(18)]) {
    for (const generation of ['00000000', '00000001', '6b09a3e0', 'ffffffff']) {
      const sealed = acme.seal(at(seq, generation));
      expect(sealed).toMatch(SEALED_NUMBER);
      expect(acme.open(sealed)).toEqual({ generation, seq });
      expect(sealedNumbers(key, 'globex').open(sealed)).toBeNull();
      expect(sealedNumbers(randomBytes(32), 'acme').open(sealed)).toBeNull();
    }
  }
});

test('the same number gives the same text; neighbouring numbers, and other owners, give unrelated texts', () => {
  expect(acme.seal(at('7'))).toBe(acme.seal(at('7')));
  const texts = Array.from({ length: 1_000 }, (_, number) => acme.seal(at(String(number))));
  expect(new Set(texts.map((text) => text.slice(0, 8))).size).toBe(1_000);
  expect(texts).not.toContain(sealedNumbers(key, 'globex').seal(at('7')));
});

test('a made-up text opens to nothing', () => {
  for (let attempt = 0; attempt < 1_000; attempt++) expect(acme.open(randomBytes(16).toString('base64url'))).toBeNull();
});
