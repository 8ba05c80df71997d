import {
  createCredential,
  createTenant,
  nextMillisecond,
  platform,
  signedRequest,
} from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { environmentOf, topctl } from '../../test/topctl.js';
import type { Span } from './past-access.js';

const READ = 'open:command:read';
const COMMANDS = '/api/v1/open/downlink/commands';

test('whether a credential could call an operation at a time is what the platform did at that time', async () => {
  const { tenant_id, admin } = await createTenant();
  const path = `/api/v1/platform/tenants/${tenant_id}`;
  const change = async (by: typeof admin, method: string, below: string, body?: object) => {
    const { status, raw } = await signedRequest(by, method, path + below, body ? { body } : {});
    expect(status, raw).toBeLessThan(300);
  };
  const [one, other] = [await createCredential(tenant_id), await createCredential(tenant_id)];
  const { client_id } = one;
  const binding = { client_id, role: 'integration_reader' };
  const own = { client_id, role: 'own' };
  const policy = { client_id: other.client_id, scope: READ };
  const expired = new Date(Date.now() + 3_600_000).toISOString();
  const changes: Parameters<typeof change>[] = [
    [admin, 'POST', '/role-bindings', binding],
    [admin, 'DELETE', `/role-bindings/${client_id}/integration_reader`],
    [admin, 'PUT', '/roles/own', { scopes: ['open:event:read'] }],
    [admin, 'POST', '/role-bindings', own],
    [platform().admin, 'PUT', '/roles/own', { scopes: [READ, 'open:event:read'] }],
    [admin, 'POST', '/policies', policy],
    [admin, 'PUT', '/roles/own', { scopes: ['open:event:read'] }],
    [admin, 'DELETE', `/role-bindings/${client_id}/own`],
    [admin, 'DELETE', '/roles/own'],
    [platform().admin, 'POST', '/role-bindings', binding],
    [admin, 'PUT', `/credentials/${client_id}`, { status: 'DISABLED' }],
    [admin, 'DELETE', `/policies?client_id=${other.client_id}&scope=${READ}`],
    [admin, 'PUT', `/credentials/${client_id}`, { status: 'ACTIVE', expires_at: expired }],
    [admin, 'POST', '/policies', policy],
    [platform().admin, 'PUT', '', { status: 'DISABLED' }],
    [platform().admin, 'PUT', '', { status: 'ACTIVE' }],
    [admin, 'PUT', `/credentials/${other.client_id}`, { status: 'DELETED' }],
  ];
  const couldThen: { at: string; could: Record<string, boolean> }[] = [];
  for (const given of changes) {
    await change(...given);
    const could: Record<string, boolean> = {};
    for (const asked of [one, other]) {
      could[asked.client_id] = (await signedRequest(asked, 'GET', COMMANDS)).status === 200;
    }
    const { body } = await signedRequest(platform().admin, 'GET', '/api/v1/open/me');
    couldThen.push({ at: body.server_time, could });
    await nextMillisecond();
  }
  expect(new Set(couldThen.map(({ could }) => JSON.stringify(could))).size).toBeGreaterThan(2);

  const world = { env: environmentOf(admin) };
  const explain = async (clientId: string, at: string) => {
    const { stdout, stderr } = await topctl(
      ['access', 'explain', clientId, '--operation', 'commands.list', '--at', at],
      world,
    );
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  };
  const past = ['access', 'history', '--operation', 'commands.list', '--since', '1h'];
  const spans: Span[] = JSON.parse((await topctl(past, world)).stdout);
  for (const { at, could } of couldThen) {
    for (const [clientId, wanted] of Object.entries(could)) {
      expect([at, clientId, (await explain(clientId, at)).could_call]).toEqual([at, clientId, wanted]);
      const isIn = spans.some(
        ({ client_id, from, until }) => client_id === clientId && from <= at && (until === null || at < until),
      );
      expect([at, clientId, isIn]).toEqual([at, clientId, wanted]);
    }
  }

  expect(spans.map(({ from }) => from)).toEqual(spans.map(({ from }) => from).sort());
  const now = spans.filter(({ until }) => until === null).map((span) => span.client_id);
  expect(now).toContain(client_id);
  expect(now).not.toContain(other.client_id);

  // Who granted it, and through what.
  const byRole = await explain(client_id, couldThen[0]?.at ?? '');
  expect(byRole.grants).toMatchObject([{ role: 'integration_reader', scope: null, granted_by: admin.client_id }]);
  const byPlatform = await explain(client_id, couldThen[9]?.at ?? '');
  expect(byPlatform.grants).toMatchObject([{ granted_by: platform().admin.client_id }]);
  const byPolicy = await explain(other.client_id, couldThen[5]?.at ?? '');
  expect(byPolicy.grants).toMatchObject([{ role: null, scope: READ, granted_by: admin.client_id }]);
  const before = await explain(client_id, '2020-01-01T00:00:00Z');
  expect(before).toMatchObject({ could_call: false, status: null, grants: [] });
  const [byAdmin, byOther] = [admin.client_id, platform().admin.client_id];
  expect(
    spans.flatMap((span) => (span.client_id === client_id ? [[...span.grants, span.change, span.changed_by]] : [])),
  ).toEqual([
    ['integration_reader', 'roleBindings.create', byAdmin],
    // Another administrator has widened the role that the credential had.
    ['own', 'roles.put', byOther],
    ['integration_reader', 'roleBindings.create', byOther],
    ['integration_reader', 'credentials.update', byAdmin],
    ['integration_reader', 'tenants.update', byOther],
  ]);
  const widened = await explain(client_id, couldThen[4]?.at ?? '');
  expect(widened.grants).toEqual([
    expect.objectContaining({ role: 'own', granted_by: byAdmin, widened_by: byOther, widened_at: expect.any(String) }),
  ]);
  expect(byRole.grants).toMatchObject([{ widened_by: null, widened_at: null }]);
});

test('a credential that expires could call only until then, and again once it no longer expires', async () => {
  const { tenant_id, admin } = await createTenant();
  const { client_id } = await createCredential(tenant_id, { role: 'integration_reader' });
  const world = { env: environmentOf(admin) };
  // A busy machine stores it before.
  const until = new Date(Date.now() + 8_000).toISOString();
  await topctl(['credentials', 'update', client_id, '--expires-at', until, '--yes'], world);
  await expect
    .poll(async () => (await signedRequest(platform().admin, 'GET', '/api/v1/open/me')).body.server_time > until)
    .toBe(true);
  const past = ['access', 'history', '--operation', 'commands.list', '--since', '1h', '-o', 'ndjson'];
  const ends = async () => {
    const lines = (await topctl(past, world)).stdout.trim().split('\n');
    return lines.map((line) => JSON.parse(line)).flatMap((span) => (span.client_id === client_id ? [span.until] : []));
  };
  expect(await ends()).toEqual([until]);
  const path = `/api/v1/platform/tenants/${tenant_id}/credentials/${client_id}`;
  await signedRequest(admin, 'PUT', path, { body: { expires_at: null } });
  expect(await ends()).toEqual([until, null]);
});

test.each([
  [['explain', 'x', '--operation', 'commands.list', '--at', 'yesterday'], /--at must be a time such as/],
  [['history', '--operation', 'commands.lst', '--since', '7d'], /did you mean commands\.list/i],
  [['history', '--operation', 'me.get', '--since', '7d'], /every credential may call me\.get/],
])('topctl access %j is refused', async (argv, message) => {
  const { admin } = platform();
  const { exitCode, stderr } = await topctl(['access', ...argv], { env: environmentOf(admin) });
  expect([exitCode, message.test(stderr)], stderr).toEqual([2, true]);
});

test('without an operation: every grant of a credential, who made it and when; with --at, those of that time', async () => {
  const { tenant_id, admin } = await createTenant();
  const { client_id } = await createCredential(tenant_id);
  const path = `/api/v1/platform/tenants/${tenant_id}`;
  const binding = { client_id, role: 'integration_reader' };
  const bound = await signedRequest(platform().admin, 'POST', `${path}/role-bindings`, { body: binding });
  const { body: between } = await signedRequest(platform().admin, 'GET', '/api/v1/open/me');
  await nextMillisecond();
  await signedRequest(admin, 'POST', `${path}/policies`, { body: { client_id, scope: 'open:callback:read' } });
  const world = { env: environmentOf(admin) };
  const explain = async (...flags: string[]) => topctl(['access', 'explain', client_id, ...flags], world);
  const [byRole, byPolicy] = [
    { role: 'integration_reader', scope: null, granted_by: platform().admin.client_id, granted_at: expect.any(String) },
    { role: null, scope: 'open:callback:read', granted_by: admin.client_id, granted_at: expect.any(String) },
  ];
  expect(bound.status).toBe(201);
  expect(JSON.parse((await explain()).stdout)).toEqual([byRole, byPolicy]);
  expect(JSON.parse((await explain('--at', between.server_time)).stdout)).toEqual([byRole]);
  expect((await explain('-o', 'table')).stdout).toMatch(/^ROLE +SCOPE +GRANTED_BY +GRANTED_AT\n/);
  const table = (await explain('--operation', 'commands.list', '--at', between.server_time, '-o', 'table')).stdout;
  expect(table).toMatch(new RegExp(`^grants +integration_reader by ${platform().admin.client_id} at 20\\S+Z$`, 'm'));
  expect(await topctl(['access', 'explain', 'nobody'], world)).toMatchObject({ exitCode: 3, stdout: '' });
});

test('what the first start granted, nobody granted', async () => {
  const { admin } = platform();
  const argv = ['access', 'explain', admin.client_id, '--operation', 'tenants.list', '--at', '0s', '-o', 'table'];
  const { stdout } = await topctl(argv, { env: environmentOf(admin) });
  expect(stdout).toMatch(/^could_call +true$/m);
  expect(stdout).toMatch(/^grants +platform_admin by the platform itself at 20\d\d-\S+Z$/m);
});
