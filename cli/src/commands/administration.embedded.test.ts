import { createTenant, platform } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { environmentOf, topctl } from '../../test/topctl.js';

const asPlatform = () => ({ env: environmentOf(platform().admin) });

test('a tenant is created, read, renamed, disabled and listed', async () => {
  const tenantId = `t-${crypto.randomUUID()}`;
  const created = await topctl(['tenants', 'create', '--tenant-id', tenantId, '--name', 'Acme'], asPlatform());
  expect(JSON.parse(created.stdout)).toMatchObject({ tenant_id: tenantId, name: 'Acme', status: 'ACTIVE' });
  const renamed = await topctl(['tenants', 'update', tenantId, '--name', 'Acme Europe'], asPlatform());
  expect(JSON.parse(renamed.stdout)).toMatchObject({ name: 'Acme Europe', status: 'ACTIVE' });
  const disable = ['tenants', 'update', '--tenant', tenantId, '--status', 'DISABLED'];
  const asked = await topctl(disable, { ...asPlatform(), typed: ['y'] });
  expect(asked.stderr).toContain(`Disable the tenant ${tenantId} and all its credentials?`);
  const read = await topctl(['tenants', 'get', tenantId], asPlatform());
  expect(JSON.parse(read.stdout)).toMatchObject({ name: 'Acme Europe', status: 'DISABLED' });
  const { stdout } = await topctl(['tenants', 'list', '--all', '-o', 'id'], asPlatform());
  expect(stdout.split('\n')).toContain(tenantId);
});

test('a role is bound, listed and unbound', async () => {
  const { admin, reader, tenant_id } = await createTenant();
  const world = { env: environmentOf(admin) };
  const binding = `${reader.client_id} integration_reader\n`;
  const list = ['role-bindings', 'list', '--client-id', reader.client_id, '-o', 'id'];
  expect(await topctl(list, world)).toEqual({ exitCode: 0, stdout: binding, stderr: '' });
  const unbind = ['role-bindings', 'delete', reader.client_id, 'integration_reader'];
  const { exitCode, stderr } = await topctl(unbind, { ...world, typed: ['y'] });
  expect(exitCode).toBe(0);
  expect(stderr).toContain(`Remove the role integration_reader from ${reader.client_id} of tenant ${tenant_id}?`);
  expect(await topctl(list, world)).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  expect((await topctl(['commands', 'list'], { env: environmentOf(reader) })).exitCode).toBe(5);
});

test('the roles of the tenant are listed with their scopes', async () => {
  const { admin } = await createTenant();
  const { stdout } = await topctl(['roles', 'list', '-o', 'table'], { env: environmentOf(admin) });
  expect(stdout).toMatch(/^ROLE +BUILT_IN +SCOPES\n/);
  expect(stdout).toMatch(/^integration_reader +true +open:command:read, /m);
});

test('a custom role grants its scopes, and can be deleted once no credential is bound to it', async () => {
  const { admin, reader, tenant_id } = await createTenant();
  const world = { env: environmentOf(admin) };
  const whatReaderMay = async () => {
    const { stdout } = await topctl(['whoami'], { env: environmentOf(reader) });
    return (JSON.parse(stdout) as { scopes: string[] }).scopes;
  };
  const scopes = ['open:callback:read', 'open:device-request:read'];
  const made = await topctl(['roles', 'put', 'replier', ...scopes.flatMap((scope) => ['--scope', scope])], world);
  expect(JSON.parse(made.stdout)).toMatchObject({ role: 'replier', scopes, built_in: false });
  await topctl(['role-bindings', 'create', '--client-id', reader.client_id, '--role', 'replier'], world);
  expect(await whatReaderMay()).toContain('open:callback:read');

  const commaSeparated = 'open:device-request:read,open:device-request:create';
  const replaced = await topctl(['roles', 'put', 'replier', '--scopes', commaSeparated], world);
  expect(JSON.parse(replaced.stdout)).toMatchObject({ scopes: commaSeparated.split(',') });
  expect(await whatReaderMay()).toContain('open:device-request:create');
  expect(await whatReaderMay()).not.toContain('open:callback:read');
  const emptied = await topctl(['roles', 'put', 'replier', '--scopes', 'none'], world);
  expect(JSON.parse(emptied.stdout)).toMatchObject({ scopes: [] });

  const remove = ['roles', 'delete', 'replier'];
  const inUse = await topctl([...remove, '--yes'], world);
  expect(inUse).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('(ROLE_IN_USE)') });
  await topctl(['role-bindings', 'delete', reader.client_id, 'replier', '--yes'], world);
  const removed = await topctl([...remove, '-o', 'id'], { ...world, typed: ['y'] });
  expect(removed).toMatchObject({ exitCode: 0, stdout: 'replier\n' });
  expect(removed.stderr).toContain(`Delete the role replier of tenant ${tenant_id}?`);
  const { stdout } = await topctl(['roles', 'list', '-o', 'id'], world);
  expect(stdout.split('\n')).not.toContain('replier');
});

test('a scope is granted without a role, listed and revoked', async () => {
  const { admin, reader, tenant_id } = await createTenant();
  const world = { env: environmentOf(admin) };
  const send = () =>
    topctl(['commands', 'create', '--vendor', 'vendor_a', '--device-id', 'd', '--command-type', 'reboot'], {
      env: environmentOf(reader),
    });
  const grant = ['policies', 'create', '--client-id', reader.client_id, '--scope', 'open:command:create'];
  const granted = await topctl([...grant, '-o', 'id'], world);
  expect((await send()).exitCode).toBe(0);
  const list = ['policies', 'list', '--client-id', reader.client_id, '-o', 'id'];
  expect(await topctl(list, world)).toEqual({ exitCode: 0, stdout: granted.stdout, stderr: '' });
  const policyId = granted.stdout.trim();
  const refused = await topctl(['policies', 'delete', policyId], { ...world, typed: ['n'] });
  expect(refused).toMatchObject({ exitCode: 130, stdout: '' });
  expect(refused.stderr).toContain(`Delete the policy ${policyId} of tenant ${tenant_id}?`);
  expect((await send()).exitCode).toBe(0);
  expect(await topctl(['policies', 'delete', policyId, '--yes', '-o', 'id'], world)).toMatchObject(granted);
  expect((await send()).exitCode).toBe(5);
  expect(await topctl(list, world)).toEqual({ exitCode: 0, stdout: '', stderr: '' });
});

test('the audit log shows changes and refusals with their caller, and every filter works', async () => {
  const { admin, reader, tenant_id } = await createTenant();
  const world = { env: environmentOf(admin) };
  await topctl(['credentials', 'update', reader.client_id, '--name', 'Renamed'], world);
  expect((await topctl(['tenants', 'update', '--name', 'Renamed'], world)).exitCode).toBe(5);
  const audit = async (...flags: string[]) => {
    const { stdout } = await topctl(['audit-events', 'list', '--all', ...flags], world);
    return JSON.parse(stdout) as { occurred_at: string; operation: string }[];
  };
  const renamed = await audit('--client-id', admin.client_id, '--outcome', 'DONE');
  const target = `platform/tenants/${tenant_id}/credentials/${reader.client_id}`;
  expect(renamed).toEqual([expect.objectContaining({ operation: 'credentials.update', target, changes: ['name'] })]);
  const denied = { client_id: admin.client_id, operation: 'tenants.update', changes: [] };
  expect(await audit('--outcome', 'DENIED')).toEqual([expect.objectContaining(denied)]);
  expect(await audit('--operation', 'credentials.update')).toEqual(renamed);
  expect(await audit('--target', target, '--operation', 'credentials.update')).toEqual(renamed);
  expect(await audit('--source-address', '192.0.2.1')).toEqual([]);
  const at = renamed[0]?.occurred_at ?? '';
  expect((await audit('--occurred-after', at)).map(({ operation }) => operation)).toContain('credentials.update');
  expect((await audit('--occurred-before', at)).map(({ operation }) => operation)).not.toContain('credentials.update');
  const table = await topctl(['audit-events', 'list', '-o', 'table'], world);
  expect(table.stdout).toMatch(/^OCCURRED_AT +OPERATION +TARGET +CLIENT_ID +OUTCOME\n/);
});

test('the catalog is whole in JSON, and one line per command type in a table', async () => {
  const { reader } = await createTenant();
  const world = { env: environmentOf(reader) };
  const whole = JSON.parse((await topctl(['catalog', 'get'], world)).stdout) as { vendors: { vendor: string }[] };
  expect(whole.vendors.map(({ vendor }) => vendor)).toEqual(expect.arrayContaining(['vendor_a', 'vendor_b']));
  const table = await topctl(['catalog', 'get', '-o', 'table'], world);
  expect(table.stdout).toMatch(/^VENDOR +COMMAND_TYPE +DESCRIPTION\n/);
  const ids = await topctl(['catalog', 'get', '-o', 'id'], world);
  expect(ids.stdout.split('\n')).toContain('vendor_a reboot');
});

test('whoami and me get are the same', async () => {
  const { reader } = await createTenant();
  const world = { env: environmentOf(reader) };
  const [whoami, me] = [
    await topctl(['whoami', '-o', 'yaml'], world),
    await topctl(['me', 'get', '-o', 'yaml'], world),
  ];
  const changing = /^(request_id|server_time): .*$/gm;
  expect(whoami.stdout.replace(changing, '')).toBe(me.stdout.replace(changing, ''));
  expect(whoami.stdout).toContain(`client_id: ${reader.client_id}\n`);
});
