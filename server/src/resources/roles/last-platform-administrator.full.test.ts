import { randomUUID } from 'node:crypto';
import { type Profile, signedRequest, startNode } from '@tenant-open-platform/testing';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { expect, test } from 'vitest';

const PLATFORM = '/api/v1/platform/tenants/platform';

const { url: DATABASE_URL } = await ownPostgres();
const servers = [await startNode({ DATABASE_URL }), await startNode({ DATABASE_URL })] as const;
let first = servers[0].admin;

async function makeAdministrator(by: Profile): Promise<Profile> {
  const client_id = `administrator-${randomUUID()}`;
  const post = (path: string, body: object) => signedRequest(by, 'POST', `${PLATFORM}/${path}`, { body });
  const created = await post('credentials', { client_id, name: 'Administrator' });
  expect((await post('role-bindings', { client_id, role: 'platform_admin' })).status).toBe(201);
  return { ...by, client_id, secret: created.body.secret };
}

const disable = (by: Profile, { client_id }: Profile, node: string | undefined) =>
  signedRequest(by, 'PUT', `${PLATFORM}/credentials/${client_id}`, { body: { status: 'DISABLED' }, node });

const isAlive = async (caller: Profile) => (await signedRequest(caller, 'GET', '/api/v1/open/me')).status === 200;

test('if two administrators disable each other at once on two nodes, one remains', async () => {
  let refused = 0;
  for (let round = 0; round < 30; round++) {
    const second = await makeAdministrator(first);
    const answers = await Promise.all([
      disable(first, second, servers[0].baseUrl),
      disable(second, first, servers[1].baseUrl),
    ]);
    refused += answers.filter(({ body }) => body.code === 'LAST_PLATFORM_ADMINISTRATOR').length;
    const [firstLives, secondLives] = await Promise.all([isAlive(first), isAlive(second)]);
    expect([firstLives, secondLives].filter(Boolean)).toHaveLength(1);
    first = firstLives ? first : second;
  }
  // Otherwise the two changes never met, and the test proves nothing.
  expect(refused).toBeGreaterThan(0);
});
