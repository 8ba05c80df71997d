import { createTenant } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { TenantOpenPlatform } from './index.js';

const { admin: profile } = await createTenant();
const client = new TenantOpenPlatform({
  baseUrl: profile.base_url,
  clientId: profile.client_id,
  secret: profile.secret,
});
const url = 'https://hooks.acme.example/top';

test('an endpoint shows its secret once, and a new one after a rotation', async () => {
  const created = await client.callbackEndpoints.create({ name: 'Orders', url });
  expect(created.secret).toMatch(/^whsec_/);
  const read = await client.callbackEndpoints.get(created.endpoint_id);
  expect(read).toMatchObject({ name: 'Orders', url, secret_version: 1 });
  expect(read).not.toHaveProperty('secret');
  const rotated = await client.callbackEndpoints.update(created.endpoint_id, { rotate_secret: true });
  expect(rotated.secret_version).toBe(2);
  expect(rotated.secret).toMatch(/^whsec_/);
  expect(rotated.secret).not.toBe(created.secret);
});

test('endpoints and subscriptions are listed over several pages, and a subscription can be deleted', async () => {
  const { endpoint_id } = await client.callbackEndpoints.create({ name: 'Listed', url });
  const endpoints = await client.callbackEndpoints.list({ limit: 1 }).toArray();
  expect(endpoints.map((endpoint) => endpoint.endpoint_id)).toContain(endpoint_id);
  const made: string[] = [];
  for (const event_type of ['command.accepted', 'command.completed']) {
    made.unshift((await client.callbackSubscriptions.create(endpoint_id, { event_type })).subscription_id);
  }
  const listed = async () =>
    (await client.callbackSubscriptions.list(endpoint_id, { limit: 1 }).toArray()).map((it) => it.subscription_id);
  expect(await listed()).toEqual(made);
  await client.callbackSubscriptions.delete(endpoint_id, made[0] ?? '');
  expect(await listed()).toEqual(made.slice(1));
});

test('a forbidden URL or event type is refused with its code', async () => {
  const local = client.callbackEndpoints.create({ name: 'Local', url: 'https://127.0.0.1/' });
  await expect(local).rejects.toMatchObject({ code: 'CALLBACK_URL_NOT_ALLOWED', status: 422 });
  const { endpoint_id } = await client.callbackEndpoints.create({ name: 'Refused', url });
  const unknown = client.callbackSubscriptions.create(endpoint_id, { event_type: 'command.failed' });
  await expect(unknown).rejects.toMatchObject({ code: 'EVENT_TYPE_NOT_SUBSCRIBABLE' });
  await client.callbackSubscriptions.create(endpoint_id, { event_type: 'command.accepted' });
  const again = client.callbackSubscriptions.create(endpoint_id, { event_type: 'command.accepted' });
  await expect(again).rejects.toMatchObject({ code: 'SUBSCRIPTION_ALREADY_EXISTS', status: 409 });
});
