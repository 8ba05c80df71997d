import { createTenant, temporaryFolder } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { filesBelow } from '../../test/files-below.js';
import { environmentOf, topctl } from '../../test/topctl.js';

const SECRET = /whsec_[A-Za-z0-9+/]{43}=/;
const create = ['callback-endpoints', 'create', '--name', 'Orders', '--url', 'https://hooks.acme.example/top'];

async function fresh() {
  const { admin, tenant_id } = await createTenant();
  return { tenant_id, world: { cwd: temporaryFolder(), env: environmentOf(admin) } };
}

async function withEndpoint() {
  const { world, tenant_id } = await fresh();
  const { endpoint_id, secret } = JSON.parse((await topctl(create, world)).stdout) as Record<string, string>;
  return { world, tenant_id, endpointId: endpoint_id ?? '', secret: secret ?? '' };
}

test('a new endpoint shows its secret once, only on stdout', async () => {
  const { world } = await fresh();
  const made = await topctl([...create, '--max-attempts', '3', '--timeout-seconds', '5'], world);
  expect(made).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('shown only once') });
  expect(made.stderr).not.toMatch(SECRET);
  const endpoint = JSON.parse(made.stdout);
  expect(endpoint).toMatchObject({ secret: expect.stringMatching(SECRET), max_attempts: 3, timeout_seconds: 5 });
  for (const argv of [['get', endpoint.endpoint_id], ['list']]) {
    const { stdout } = await topctl(['callback-endpoints', ...argv], world);
    expect(stdout).toContain(endpoint.endpoint_id);
    expect(stdout).not.toMatch(SECRET);
  }
});

test('--secret-file holds only the secret, readable only by the user, and it is not printed', async () => {
  const { world } = await fresh();
  const made = await topctl([...create, '--secret-file', 'hook.secret', '-o', 'id'], world);
  expect(made).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/) });
  expect(made.stderr).toBe('The secret is in hook.secret.\n');
  expect(await filesBelow(world.cwd)).toEqual({
    'hook.secret': { mode: '600', text: expect.stringMatching(new RegExp(`^${SECRET.source}\n$`)) },
  });
});

test('--secret-file is not left behind if the URL is refused', async () => {
  const { world } = await fresh();
  const argv = ['callback-endpoints', 'create', '--name', 'x', '--url', 'https://127.0.0.1/', '--secret-file', 's'];
  const refused = await topctl(argv, world);
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toContain('(CALLBACK_URL_NOT_ALLOWED)');
  expect(await filesBelow(world.cwd)).toEqual({});
});

test('rotate names endpoint and tenant before it asks, and returns a new secret after yes', async () => {
  const { world, tenant_id, endpointId, secret } = await withEndpoint();
  const rotate = ['callback-endpoints', 'rotate', endpointId, '--previous-secret-ttl-seconds', '60'];
  const no = await topctl(rotate, { ...world, typed: ['n'] });
  expect(no).toMatchObject({ exitCode: 130, stdout: '' });
  expect(no.stderr.replace(/\s*│?\s+/g, ' ')).toContain(`callback endpoint ${endpointId} of tenant ${tenant_id}?`);
  const rotated = JSON.parse((await topctl([...rotate, '--yes'], world)).stdout);
  expect(rotated).toMatchObject({ secret_version: 2, secret: expect.stringMatching(SECRET) });
  expect(rotated.secret).not.toBe(secret);
  expect(rotated.previous_secret_expires_at).not.toBeNull();
});

test('update changes only the given fields, and disables after a prompt', async () => {
  const { world, endpointId } = await withEndpoint();
  const update = ['callback-endpoints', 'update', endpointId];
  const changed = await topctl([...update, '--name', 'Bills', '--url', 'https://hooks.acme.example/bills'], world);
  expect(JSON.parse(changed.stdout)).toMatchObject({ name: 'Bills', url: 'https://hooks.acme.example/bills' });
  const disabled = await topctl([...update, '--status', 'DISABLED'], { ...world, typed: ['y'] });
  expect(JSON.parse(disabled.stdout)).toMatchObject({ name: 'Bills', status: 'DISABLED' });
});

test('an endpoint is subscribed to an event type once, and unsubscribed after a prompt', async () => {
  const { world, endpointId } = await withEndpoint();
  const subscribe = ['callback-subscriptions', 'create', endpointId, '--event-type', 'command.completed'];
  const created = await topctl([...subscribe, '-o', 'id'], world);
  const subscriptionId = created.stdout.trim();
  expect(await topctl(subscribe, world)).toMatchObject({ exitCode: 6, stdout: '' });
  const list = ['callback-subscriptions', 'list', endpointId, '-o', 'id'];
  expect(await topctl(list, world)).toEqual({ exitCode: 0, stdout: `${subscriptionId}\n`, stderr: '' });
  const update = ['callback-subscriptions', 'update', endpointId, subscriptionId, '--status'];
  const disabled = await topctl([...update, 'DISABLED'], { ...world, typed: ['y'] });
  expect(JSON.parse(disabled.stdout)).toMatchObject({ subscription_id: subscriptionId, status: 'DISABLED' });
  expect(JSON.parse((await topctl([...update, 'ACTIVE'], world)).stdout)).toMatchObject({ status: 'ACTIVE' });
  const remove = ['callback-subscriptions', 'delete', endpointId, subscriptionId];
  expect((await topctl(remove, { ...world, typed: ['n'] })).exitCode).toBe(130);
  expect((await topctl([...remove, '--yes'], world)).exitCode).toBe(0);
  expect(await topctl(list, world)).toEqual({ exitCode: 0, stdout: '', stderr: '' });
});

test('an endpoint is deleted after a prompt that names its subscriptions and secrets', async () => {
  const { world, endpointId } = await withEndpoint();
  const remove = ['callback-endpoints', 'delete', endpointId, '-o', 'id'];
  const no = await topctl(remove, { ...world, typed: ['n'] });
  expect(no).toMatchObject({ exitCode: 130, stdout: '' });
  expect(no.stderr.replace(/\s*│?\s+/g, ' ')).toContain('its subscriptions and its secrets?');
  expect(await topctl([...remove, '--yes'], world)).toMatchObject({ exitCode: 0, stdout: `${endpointId}\n` });
  expect((await topctl(['callback-endpoints', 'get', endpointId], world)).stderr).toContain('(NOT_FOUND)');
});
