import { newKeyring, temporaryFolder } from '@tenant-open-platform/testing';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { startServer } from '@tenant-open-platform/testing/start-server';
import { expect, test, vi } from 'vitest';
import { openPool } from '../../../test/support/open-pool.js';
import { asTenant } from '../../foundation/database/row-level-security.js';
import { newId } from '../../foundation/ids.js';
import { objectCredentials, objectGrants, objectResources } from '../tables.js';

const folder = temporaryFolder();
const postgres = await ownPostgres();
const database = openPool(postgres.url);

const keyring = newKeyring();
const start = () => startServer({ DATA_DIR: folder, DATABASE_URL: postgres.url, KEYRING: keyring });

/** Grants of a tenant by key; the key contains their age in days. */
async function insertGrants(tenantId: string, daysAgo: number[]): Promise<void> {
  const [credentialId, resourceId] = [newId(), newId()];
  const common = { tenantId, name: 'Old', status: 'ACTIVE' as const };
  await asTenant(database, tenantId, async (tx) => {
    await tx.insert(objectCredentials).values({
      ...common,
      credentialId,
      endpoint: 'https://objects.acme.example',
      region: 'us-east-1',
      forcePathStyle: true,
      accessKeyId: 'A',
      secretVersion: 1,
      secretAccessKeySealed: Buffer.from('sealed'),
    });
    await tx.insert(objectResources).values({
      ...common,
      resourceId,
      credentialId,
      bucket: 'acme',
      allowedOperations: ['DOWNLOAD'],
      keyPrefix: '',
      maxObjectBytes: 1,
      maxExpiresInSeconds: 1,
    });
    await tx.insert(objectGrants).values(
      daysAgo.map((days) => ({
        tenantId,
        presignId: newId(Date.now() - days * 86_400_000),
        resourceId,
        operation: 'DOWNLOAD' as const,
        key: String(days),
        clientId: 'c',
        requestId: 'r',
        expiresAt: new Date(),
      })),
    );
  });
}

async function keptGrants(tenantId: string): Promise<string[]> {
  const rows = await asTenant(database, tenantId, (tx) => tx.select({ key: objectGrants.key }).from(objectGrants));
  return rows.map(({ key }) => key).sort();
}

test('grants of all tenants are kept for 90 days and then deleted, however many there are', async () => {
  await (await start()).stop();
  await insertGrants('demo', [...Array(2_500).fill(91), 89, 0]);
  await insertGrants('platform', [91, 89]);
  const server = await start();
  await vi.waitFor(async () => expect(await keptGrants('demo')).not.toContain('91'), { timeout: 60_000 });
  await vi.waitFor(async () => expect(await keptGrants('platform')).not.toContain('91'), { timeout: 60_000 });
  expect(await server.stop()).toBe(0);
  expect(await keptGrants('demo')).toEqual(['0', '89']);
  expect(await keptGrants('platform')).toEqual(['89']);
});
