import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { credentialOwner } from './credential-secret.js';
import { parseKeyring } from './keyring.js';

const key = () => randomBytes(32).toString('base64');
const keyring = parseKeyring(JSON.stringify({ primary: 'new', keys: { new: key(), old: key() } }), 'KEYRING');

test('a sealed secret opens in its own row and version, and in no other', () => {
  const sealed = keyring.seal('osk_secret', credentialOwner('tenant', 'client', 2));
  expect(keyring.open(sealed, credentialOwner('tenant', 'client', 2))).toBe('osk_secret');
  for (const owner of [
    credentialOwner('another', 'client', 2),
    credentialOwner('tenant', 'another', 2),
    credentialOwner('tenant', 'client', 1),
  ]) {
    expect(() => keyring.open(sealed, owner)).toThrow();
  }
});

test('a sealed secret does not open if any byte was changed or cut off', () => {
  const sealed = keyring.seal('osk_secret', 'owner');
  for (let index = 0; index < sealed.length; index++) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] as number) ^ 1;
    expect(() => keyring.open(changed, 'owner')).toThrow();
    expect(() => keyring.open(sealed.subarray(0, index), 'owner')).toThrow();
  }
});

test('the same secret is sealed differently every time, and its plain text does not appear', () => {
  const sealed = Array.from({ length: 100 }, () => keyring.seal('osk_secret', 'owner').toString('latin1'));
  expect(new Set(sealed).size).toBe(100);
  expect(sealed.filter((text) => text.includes('osk_'))).toEqual([]);
});
