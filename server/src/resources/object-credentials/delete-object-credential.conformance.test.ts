import { createTenant, nextMillisecond, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { createObjectCredential, createObjectResource } from '../../../test/support/create-object.js';
import { expectRefusal } from '../../../test/support/expect-refusal.js';
import { newObjectResource } from '../../../test/support/new-object.js';
import { onBothNodes } from '../../../test/support/on-both-nodes.js';

const CREDENTIALS = '/api/v1/open/objects/credentials';
const RESOURCES = '/api/v1/open/objects/resources';

const tenant = await createTenant();

const get = (target: string) => signedRequest(tenant.admin, 'GET', target);
const remove = (target: string, node?: string) => signedRequest(tenant.admin, 'DELETE', target, node ? { node } : {});
const presign = (resource_id: string) =>
  signedRequest(tenant.operator, 'POST', '/api/v1/open/objects/presign', {
    body: { operation: 'DOWNLOAD', resource_id, object_key: 'a' },
  });

test('a credential and a resource are read as in the list, and are gone once deleted', async () => {
  const credentialId = await createObjectCredential(tenant.admin);
  const resourceId = await createObjectResource(tenant.admin, credentialId);
  expect((await presign(resourceId)).status).toBe(200);
  for (const [list, id, name] of [
    [RESOURCES, resourceId, 'resource_id'],
    [CREDENTIALS, credentialId, 'credential_id'],
  ] as const) {
    const target = `${list}/${id}`;
    const [read, listed] = [await get(target), await get(list)];
    expect(listed.body.items[0]).toEqual({ ...read.body, request_id: listed.body.request_id });

    const deleted = await remove(target);
    expect([deleted.status, deleted.body]).toEqual([
      200,
      { [name]: id, deleted: true, request_id: deleted.headers['x-request-id'] },
    ]);
    for (const answer of [await get(target), await remove(target)]) expectRefusal(answer, 'NOT_FOUND');
    expect((await get(list)).body.items).toEqual([]);
  }
  expectRefusal(await presign(resourceId), 'NOT_FOUND');
});

test('a credential in use by resources is not deleted, and the refusal names them, newest first', async () => {
  const credentialId = await createObjectCredential(tenant.admin);
  const other = await createObjectCredential(tenant.admin);
  await createObjectResource(tenant.admin, other);
  const first = await createObjectResource(tenant.admin, credentialId);
  await nextMillisecond();
  const second = await createObjectResource(tenant.admin, credentialId, { status: 'DISABLED' });

  const refused = await remove(`${CREDENTIALS}/${credentialId}`);
  expectRefusal(refused, 'OBJECT_CREDENTIAL_IN_USE');
  expect(refused.body.metadata).toEqual({ resource_ids: [second, first] });

  await remove(`${RESOURCES}/${first}`);
  const moved = { body: { credential_id: other } };
  expect((await signedRequest(tenant.admin, 'PUT', `${RESOURCES}/${second}`, moved)).status).toBe(200);
  expect((await remove(`${CREDENTIALS}/${credentialId}`)).status).toBe(200);
});

test('of a deletion and a concurrent new resource one is refused', async () => {
  for (let round = 0; round < 15; round++) {
    const credentialId = await createObjectCredential(tenant.admin);
    const body = newObjectResource(credentialId);
    const [deleted, created] = await onBothNodes(2, (node, index) =>
      index === 0
        ? remove(`${CREDENTIALS}/${credentialId}`, node)
        : signedRequest(tenant.admin, 'POST', RESOURCES, { body, node }),
    );
    expect([
      [200, 'NOT_FOUND'],
      ['OBJECT_CREDENTIAL_IN_USE', 201],
    ]).toContainEqual([deleted, created].map((answer) => answer?.body.code ?? answer?.status));
  }
});
