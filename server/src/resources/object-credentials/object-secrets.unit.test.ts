import { expect, test } from 'vitest';
import { generateKeyring, parseKeyring } from '../../foundation/secrets/keyring.js';
import { openObjectSecrets, sealSecretAccessKey, sealSessionToken } from './object-credentials.js';

const keyring = parseKeyring(generateKeyring(), 'the test');

const identity = { tenantId: 'acme', credentialId: '019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071', secretVersion: 2 };

type Row = Parameters<typeof openObjectSecrets>[1];

const row = {
  ...identity,
  secretAccessKeySealed: sealSecretAccessKey(keyring, identity, 'the secret'),
  sessionTokenSealed: sealSessionToken(keyring, identity, 'the token'),
} as Row;

test('opens secrets that were sealed for the row, and no token if there is none', () => {
  expect(openObjectSecrets(keyring, row)).toEqual({ secretAccessKey: 'the secret', sessionToken: 'the token' });
  expect(openObjectSecrets(keyring, { ...row, sessionTokenSealed: null }).sessionToken).toBeNull();
});

test.each([
  ['tenant', { tenantId: 'other' }],
  ['credential', { credentialId: '019bd3a4-5c4e-7f44-8d73-9c3d4e5f6072' }],
  ['version', { secretVersion: 1 }],
  ['column', { secretAccessKeySealed: row.sessionTokenSealed, sessionTokenSealed: null }],
  ['column of the other', { sessionTokenSealed: row.secretAccessKeySealed }],
])('opens nothing that was moved to another %s', (_, moved) => {
  expect(() => openObjectSecrets(keyring, { ...row, ...moved } as Row)).toThrow('Unsupported state');
});
