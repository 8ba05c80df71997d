import { createHmac, randomUUID } from 'node:crypto';
import { createTenant, signedRequest } from '@tenant-open-platform/testing';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { onBothNodes } from '../../../test/support/on-both-nodes.js';

const ENDPOINTS = '/api/v1/open/callbacks/endpoints';

const tenant = await createTenant();

async function create(): Promise<{ id: string; secret: string }> {
  const body = { name: 'Order system', url: 'https://hooks.acme.example/top', status: 'DISABLED' };
  const { body: created } = await signedRequest(tenant.admin, 'POST', ENDPOINTS, { body });
  return { id: created.endpoint_id, secret: created.secret };
}

const update = (id: string, body: object, options: { node?: string } = {}) =>
  signedRequest(tenant.admin, 'PUT', `${ENDPOINTS}/${id}`, { body, ...options });
const rotate = (id: string, fields: object = {}, options: { node?: string } = {}) =>
  update(id, { rotate_secret: true, ...fields }, options);

/** A delivery as the delivery service will sign it: with every valid secret. Standard Webhooks 1.0.0. */
function deliver(secrets: string[]) {
  const payload = JSON.stringify({ event_type: 'command.completed', data: { name: 'Zürich' } });
  const id = `msg_${randomUUID()}`;
  const timestamp = Math.floor(Date.now() / 1000).toString();
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${payload}`).digest('base64')}`;
  });
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
  return { payload, headers };
}

function verifies(secret: string, { payload, headers }: ReturnType<typeof deliver>): boolean {
  try {
    expect(new Webhook(secret).verify(payload, headers)).toEqual(JSON.parse(payload));
    return true;
  } catch (error) {
    expect((error as Error).message).toBe('No matching signature found');
    return false;
  }
}

test('a delivery signed with the secret verifies with Standard Webhooks, and with no other secret', async () => {
  const [one, another] = await Promise.all([create(), create()]);
  const delivery = deliver([one.secret]);
  expect([verifies(one.secret, delivery), verifies(another.secret, delivery)]).toEqual([true, false]);
  expect(verifies(one.secret, { ...delivery, payload: delivery.payload.replace('completed', 'accepted') })).toBe(false);
});

test('rotation returns a new secret once, and invalidates the old one', async () => {
  const { id, secret } = await create();
  const rotated = await rotate(id);
  expect(rotated.body).toMatchObject({ secret_version: 2, previous_secret_expires_at: null });
  const renewed = rotated.body.secret as string;
  expect([verifies(secret, deliver([renewed])), verifies(renewed, deliver([renewed]))]).toEqual([false, true]);
});

test('an overlap and its end are shown until a rotation without overlap; other changes keep the overlap', async () => {
  const { id, secret } = await create();
  const second = await rotate(id, { previous_secret_ttl_seconds: 600 });
  const end = second.body.previous_secret_expires_at;
  expect(Math.abs(Date.parse(end) - Date.now() - 600_000)).toBeLessThan(30_000);
  const renamed = await update(id, { name: 'Renamed' });
  expect(renamed.body).toMatchObject({ secret_version: 2, previous_secret_expires_at: end });
  expect(renamed.body).not.toHaveProperty('secret');

  // With both signatures, receivers with the old secret and receivers with the new one continue.
  const delivery = deliver([second.body.secret, secret]);
  expect([verifies(secret, delivery), verifies(second.body.secret, delivery)]).toEqual([true, true]);

  const third = await rotate(id);
  expect(third.body).toMatchObject({ secret_version: 3, previous_secret_expires_at: null });
});

test('one change may rename and rotate; rotate_secret: false does not rotate', async () => {
  const { id, secret } = await create();
  const both = await update(id, { name: 'Renamed', rotate_secret: true });
  expect(both.body).toMatchObject({ name: 'Renamed', secret_version: 2, secret: expect.stringMatching(/^whsec_/) });
  expect(both.body.secret).not.toBe(secret);
  const neither = await update(id, { rotate_secret: false });
  expect([neither.body.secret_version, neither.body.secret]).toEqual([2, undefined]);
});

test('a refused change rotates nothing', async () => {
  const { id } = await create();
  expect((await rotate(id, { url: 'https://localhost/' })).status).toBe(422);
  const { body } = await signedRequest(tenant.admin, 'GET', `${ENDPOINTS}/${id}`);
  expect(body).toMatchObject({ secret_version: 1, previous_secret_expires_at: null });
});

test('20 concurrent rotations create 20 versions, each with a different secret', async () => {
  const { id } = await create();
  const answers = await onBothNodes(20, (node) => rotate(id, { previous_secret_ttl_seconds: 60 }, { node }));
  const versions = answers.map(({ body }) => body.secret_version as number).sort((a, b) => a - b);
  expect(versions).toEqual(Array.from({ length: 20 }, (_, index) => index + 2));
  expect(new Set(answers.map(({ body }) => body.secret)).size).toBe(20);
});

test('only the answer that creates a secret shows it', async () => {
  const { id, secret } = await create();
  const renewed = (await rotate(id, { previous_secret_ttl_seconds: 600 })).body.secret as string;
  const answers = [
    await signedRequest(tenant.admin, 'GET', `${ENDPOINTS}/${id}`),
    await signedRequest(tenant.admin, 'GET', `${ENDPOINTS}?limit=500`),
    await update(id, { name: 'Renamed', rotate_secret: false }),
    await update(id, { url: 'https://localhost/' }),
    await update(id, { secret }),
    await signedRequest(tenant.admin, 'GET', `${ENDPOINTS}/${id}/subscriptions`),
    await signedRequest(tenant.admin, 'GET', `/api/v1/platform/tenants/${tenant.tenant_id}/audit-events`),
  ];
  for (const { raw } of answers) {
    for (const shown of [secret, renewed, 'whsec_']) expect(raw).not.toContain(shown);
  }
  expect(answers[1]?.raw).toContain(id);
});
