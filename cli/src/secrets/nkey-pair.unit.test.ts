import { fromPublic, fromSeed } from '@nats-io/nkeys';
import { expect, test } from 'vitest';
import { newNkeyPair } from './nkey-pair.js';

test.each([
  ['user', /^U[A-Z2-7]{55}$/, /^SU[A-Z2-7]{56}$/],
  ['account', /^A[A-Z2-7]{55}$/, /^SA[A-Z2-7]{56}$/],
] as const)(
  'a new %s pair is one that NATS accepts: what its seed signs, its public key verifies',
  (kind, publicForm, seedForm) => {
    const { seed, publicKey } = newNkeyPair(kind);
    expect([publicKey, seed]).toEqual([expect.stringMatching(publicForm), expect.stringMatching(seedForm)]);
    const pair = fromSeed(new TextEncoder().encode(seed));
    expect(pair.getPublicKey()).toBe(publicKey);
    const text = new TextEncoder().encode('challenge');
    expect(fromPublic(publicKey).verify(text, pair.sign(text))).toBe(true);
    expect(newNkeyPair(kind).seed).not.toBe(seed);
  },
);
