import { createTenant, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { expectRefusal } from '../../../test/support/expect-refusal.js';
import { onBothNodes } from '../../../test/support/on-both-nodes.js';

const ENDPOINTS = '/api/v1/open/callbacks/endpoints';

const tenant = await createTenant();

const ask = (method: string, path: string, body?: object, node?: string) =>
  signedRequest(tenant.admin, method, `${ENDPOINTS}${path}`, { ...(body && { body }), ...(node && { node }) });

async function createEndpoint(): Promise<string> {
  const answer = await ask('POST', '', { name: 'Order system', url: 'https://hooks.acme.example/top' });
  expect(answer.status, answer.raw).toBe(201);
  return answer.body.endpoint_id;
}

test('an endpoint is deleted with its subscriptions, and other endpoints keep theirs', async () => {
  const [endpoint, other] = [await createEndpoint(), await createEndpoint()];
  for (const id of [endpoint, other]) {
    for (const body of [
      { event_type: 'command.accepted', status: 'ACTIVE' },
      { event_type: 'command.completed', status: 'DISABLED' },
    ]) {
      expect((await ask('POST', `/${id}/subscriptions`, body)).status).toBe(201);
    }
  }
  const deleted = await ask('DELETE', `/${endpoint}`);
  expect([deleted.status, deleted.body]).toEqual([
    200,
    { endpoint_id: endpoint, deleted: true, request_id: deleted.headers['x-request-id'] },
  ]);
  for (const [method, path] of [
    ['GET', ''],
    ['DELETE', ''],
    ['GET', '/subscriptions'],
  ] as const) {
    expectRefusal(await ask(method, `/${endpoint}${path}`), 'NOT_FOUND');
  }
  expect((await ask('GET', `/${other}/subscriptions`)).body.items).toHaveLength(2);
});

test('a deletion and concurrent new subscriptions leave nothing behind', async () => {
  for (let round = 0; round < 15; round++) {
    const endpoint = await createEndpoint();
    const subscription = { event_type: 'command.completed' };
    const [deleted, created] = await onBothNodes(2, (node, index) =>
      index === 0
        ? ask('DELETE', `/${endpoint}`, undefined, node)
        : ask('POST', `/${endpoint}/subscriptions`, subscription, node),
    );
    expect(deleted?.status).toBe(200);
    expect([201, 404]).toContain(created?.status);
    expectRefusal(await ask('GET', `/${endpoint}/subscriptions`), 'NOT_FOUND');
  }
});

test('a subscription that was created DISABLED can be enabled and disabled again', async () => {
  const endpoint = await createEndpoint();
  const body = { event_type: 'command.completed', status: 'DISABLED' };
  const { body: created } = await ask('POST', `/${endpoint}/subscriptions`, body);
  for (const status of ['ACTIVE', 'DISABLED']) {
    const updated = await ask('PUT', `/${endpoint}/subscriptions/${created.subscription_id}`, { status });
    expect([updated.status, updated.body]).toEqual([
      200,
      { ...created, status, request_id: updated.headers['x-request-id'] },
    ]);
    const { body: list } = await ask('GET', `/${endpoint}/subscriptions`);
    expect(list.items).toMatchObject([{ subscription_id: created.subscription_id, status }]);
  }
});
