import { createHmac } from 'node:crypto';
import { createCredential, createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openPool } from '../../../test/support/open-pool.js';
import { credentialOwner } from '../../foundation/secrets/credential-secret.js';
import type { Keyring } from '../../foundation/secrets/keyring.js';
import { createSignatureVerifier } from './verify-signature.js';

const database = openPool();
const tenant = await createTenant();

/** A credential whose previous secret is accepted for ten more minutes. */
async function rotatedCredential() {
  const previous = await createCredential(tenant.tenant_id);
  const target = `/api/v1/platform/tenants/${tenant.tenant_id}/credentials/${previous.client_id}`;
  const body = { rotate_secret: true, previous_secret_ttl_seconds: 600 };
  const { body: rotated } = await signedRequest(tenant.admin, 'PUT', target, { body });
  return { previous, current: { ...previous, secret: rotated.secret as string } };
}

/** Sets the end of the overlap to the past, as if the ten minutes were over. */
async function endOverlap(clientId: string): Promise<void> {
  const { count } = await database.sql.begin(async (tx) => {
    await tx`select set_config('role', 'top_app', true), set_config('app.tenant_id', ${tenant.tenant_id}, true)`;
    return tx`update credentials set previous_secret_expires_at = now() - interval '1 second' where client_id = ${clientId}`;
  });
  expect(count).toBe(1);
}

// Each of the two checks refuses alone, where the other one would accept.

test('admission refuses an expired previous secret, even if the node has cached its key', async () => {
  const { previous, current } = await rotatedCredential();
  for (const node of platform().nodes) {
    expect((await signedRequest(previous, 'GET', '/api/v1/open/me', { node })).status).toBe(200);
  }
  await endOverlap(previous.client_id);
  for (const node of platform().nodes) {
    expect((await signedRequest(previous, 'GET', '/api/v1/open/me', { node })).status).toBe(401);
    expect((await signedRequest(current, 'GET', '/api/v1/open/me', { node })).status).toBe(200);
  }
});

test('a signature with an expired previous secret is wrong on a node that reads the keys then', async () => {
  const { previous } = await rotatedCredential();
  const { tenant_id, client_id } = previous;
  const owner = (version: number) => credentialOwner(tenant_id, client_id, version);
  /** Every secret opens to the name of its row and version. */
  const keyring = {
    keyIds: ['test'],
    has: () => true,
    open: (_sealed: Buffer, name: string) => name,
    seal: (secret: string) => Buffer.from(secret),
  } as unknown as Keyring;
  const signedWith = (version: number) => createHmac('sha256', owner(version)).update('text').digest();
  const verifiedBy = (version: number) =>
    createSignatureVerifier(
      database,
      keyring,
      pino({ level: 'silent' }),
    )({ clientId: client_id, stringToSign: 'text', signature: signedWith(version), network: '127.0.0.1' });

  expect(await verifiedBy(1)).toMatchObject({ secretVersion: 1 });
  await endOverlap(client_id);
  expect(await verifiedBy(1)).toBeNull();
  expect(await verifiedBy(2)).toMatchObject({ secretVersion: 2 });
});
