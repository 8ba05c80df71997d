import { createHmac } from 'node:crypto';
import { createTenant, platform } from '@tenant-open-platform/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool } from '../../../test/open-pool.js';
import type { Database } from '../database/database.js';
import { credentialOwner } from '../secrets/credential-owner.js';
import type { Keyring } from '../secrets/keyring.js';
import { signatureVerifier } from './signing-keys.js';

let database: Database;

beforeAll(() => {
  database = openPool(platform().databaseUrl as string);
});

afterAll(() => database.close());

test('a secret that does not open fails the requests of its own credential and no others', async () => {
  const { tenant_id, operator, reader } = await createTenant();
  const unopenable = credentialOwner(tenant_id, reader.client_id, 1);
  const keyring = {
    open(_sealed: Buffer, owner: string) {
      if (owner === unopenable) throw new Error('The keyring lacks the key k0.');
      return 'key';
    },
  } as unknown as Keyring;
  const verify = signatureVerifier(database, keyring);
  const signature = createHmac('sha256', 'key').update('text').digest();
  const [good, bad, unknown] = await Promise.allSettled(
    [operator.client_id, reader.client_id, 'nobody'].map((clientId) => verify(clientId, 'text', signature)),
  );
  expect(good).toMatchObject({ status: 'fulfilled', value: { tenantId: tenant_id, secretVersion: 1 } });
  expect(bad).toMatchObject({ status: 'rejected', reason: { message: 'The keyring lacks the key k0.' } });
  expect(unknown).toEqual({ status: 'fulfilled', value: null });
});
