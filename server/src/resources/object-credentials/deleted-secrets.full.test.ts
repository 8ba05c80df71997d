import { createTenant, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { createObjectCredential, createObjectResource } from '../../../test/support/create-object.js';
import { openSession } from '../../../test/support/open-pool.js';

const tenant = await createTenant();
const owner = openSession();

/** How many rows of the tenant each table has. */
const rows = () =>
  owner.begin(async (tx) => {
    await tx`select set_config('role', 'top_app', true), set_config('app.tenant_id', ${tenant.tenant_id}, true)`;
    const [counted] = await tx`
      select (select count(*)::int from object_credentials) as object_credentials,
        (select count(*)::int from object_resources) as object_resources,
        (select count(*)::int from object_grants) as object_grants,
        (select count(*)::int from callback_endpoints) as callback_endpoints,
        (select count(*)::int from callback_subscriptions) as callback_subscriptions`;
    return counted;
  });

const ask = async (method: string, path: string, body?: object) => {
  const answer = await signedRequest(tenant.admin, method, `/api/v1/open/${path}`, body && { body });
  expect(answer.status, answer.raw).toBeLessThan(300);
  return answer.body;
};

test('deleted secrets have no row left, and the record of a presigned URL stays', async () => {
  const credentialId = await createObjectCredential(tenant.admin, { session_token: 'a-session-token' });
  const resourceId = await createObjectResource(tenant.admin, credentialId);
  const body = { operation: 'DOWNLOAD', resource_id: resourceId, object_key: 'a' };
  await signedRequest(tenant.operator, 'POST', '/api/v1/open/objects/presign', { body });
  const endpoint = { name: 'Order system', url: 'https://hooks.acme.example/top' };
  const { endpoint_id } = await ask('POST', 'callbacks/endpoints', endpoint);
  await ask('POST', `callbacks/endpoints/${endpoint_id}/subscriptions`, { event_type: 'command.completed' });
  expect(await rows()).toEqual({
    object_credentials: 1,
    object_resources: 1,
    object_grants: 1,
    callback_endpoints: 1,
    callback_subscriptions: 1,
  });

  await ask('DELETE', `objects/resources/${resourceId}`);
  await ask('DELETE', `objects/credentials/${credentialId}`);
  await ask('DELETE', `callbacks/endpoints/${endpoint_id}`);
  expect(await rows()).toEqual({
    object_credentials: 0,
    object_resources: 0,
    object_grants: 1,
    callback_endpoints: 0,
    callback_subscriptions: 0,
  });
});
