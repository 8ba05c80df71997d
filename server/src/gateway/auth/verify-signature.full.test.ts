import { createHmac } from 'node:crypto';
import { createCredential, createTenant, type Profile, signedRequest } from '@tenant-open-platform/testing';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { openPool } from '../../../test/support/open-pool.js';
import { credentialOwner } from '../../foundation/secrets/credential-secret.js';
import type { Keyring } from '../../foundation/secrets/keyring.js';
import { createSignatureVerifier } from './verify-signature.js';

/** How often these functions of Node were called. */
const calls = vi.hoisted(() => ({ createHmac: 0, timingSafeEqual: 0 }));
vi.mock('node:crypto', async (importOriginal) => {
  const crypto = await importOriginal<typeof import('node:crypto')>();
  const createHmac: typeof crypto.createHmac = (...given) => {
    calls.createHmac++;
    return crypto.createHmac(...given);
  };
  const timingSafeEqual: typeof crypto.timingSafeEqual = (one, other) => {
    calls.timingSafeEqual++;
    return crypto.timingSafeEqual(one, other);
  };
  return { ...crypto, createHmac, timingSafeEqual };
});

const database = openPool();

/** Opens the secret of every credential as `key` and records its owner. */
function recordingKeyring(refused = '') {
  const opened: string[] = [];
  const keyring = {
    keyIds: ['test'],
    has: () => true,
    seal: () => Buffer.alloc(0),
    open(_sealed: Buffer, owner: string) {
      if (owner === refused) throw new Error('The secret does not open.');
      opened.push(owner);
      return owner === 'stand-in' ? 'nobody knows it' : 'key';
    },
  } as unknown as Keyring;
  return { keyring, opened };
}

const silent = pino({ level: 'silent' });

const signed = (clientId: string, key = 'key') => ({
  clientId,
  stringToSign: 'text',
  signature: createHmac('sha256', key).update('text').digest(),
  network: '192.0.2.1',
});

test('a credential whose secret does not open is refused like an unknown one, and logged once', async () => {
  const { tenant_id, operator, reader } = await createTenant();
  const { keyring } = recordingKeyring(credentialOwner(tenant_id, reader.client_id, 1));
  const lines: string[] = [];
  const verify = createSignatureVerifier(
    database,
    keyring,
    pino({}, { write: (line: string) => void lines.push(line) }),
  );
  expect(await verify(signed(operator.client_id))).toMatchObject({ tenantId: tenant_id, secretVersion: 1 });
  for (const clientId of [reader.client_id, 'nobody', reader.client_id]) {
    expect(await verify(signed(clientId))).toBeNull();
  }
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ client_id: reader.client_id, tenant_id }]);
});

test('a wrong signature opens two secrets for every id: known or unknown, cached or not, with one secret or two', async () => {
  const { tenant_id, admin, operator } = await createTenant();
  const rotated = await createCredential(tenant_id);
  const rotation = { rotate_secret: true, previous_secret_ttl_seconds: 600 };
  const target = `/api/v1/platform/tenants/${tenant_id}/credentials/${rotated.client_id}`;
  expect((await signedRequest(admin, 'PUT', target, { body: rotation })).status).toBe(200);

  const { keyring, opened } = recordingKeyring();
  const verify = createSignatureVerifier(database, keyring, silent);
  const openedFor = async ({ client_id }: Pick<Profile, 'client_id'>) => {
    opened.length = 0;
    expect(await verify(signed(client_id, 'guessed'))).toBeNull();
    return opened.length;
  };
  for (const caller of [operator, operator, rotated, rotated, { client_id: 'nobody' }, { client_id: 'nobody' }]) {
    expect(await openedFor(caller)).toBe(2);
  }
  expect(await verify(signed(operator.client_id))).toMatchObject({ secretVersion: 1 });
  expect(await verify(signed(rotated.client_id))).toMatchObject({ secretVersion: 2 });
});

test('a wrong signature costs four HMACs, each compared in constant time, for every id: known or unknown, cached or not', async () => {
  const { operator } = await createTenant();
  const { keyring } = recordingKeyring();
  const verify = createSignatureVerifier(database, keyring, silent);
  const callsFor = async (clientId: string) => {
    const wrong = signed(clientId, 'guessed');
    Object.assign(calls, { createHmac: 0, timingSafeEqual: 0 });
    expect(await verify(wrong)).toBeNull();
    return { ...calls };
  };
  for (const clientId of [operator.client_id, operator.client_id, 'nobody', 'nobody']) {
    expect(await callsFor(clientId)).toEqual({ createHmac: 4, timingSafeEqual: 4 });
  }
});
