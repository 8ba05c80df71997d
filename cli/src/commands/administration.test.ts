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
  expect(asked.stderr).toContain(`Disable the tenant ${tenantId}`);
  const read = await topctl(['tenants', 'get', tenantId], asPlatform());
  expect(JSON.parse(read.stdout)).toMatchObject({ name: 'Acme Europe', status: 'DISABLED' });
  const { stdout } = await topctl(['tenants', 'list', '--all', '-o', 'id'], asPlatform());
  expect(stdout.split('\n')).toContain(tenantId);
});

test('a role is bound, listed and taken away again', async () => {
  const { admin, reader, tenant_id } = await createTenant();
  const world = { env: environmentOf(admin) };
  const binding = `${reader.client_id} integration_reader\n`;
  const list = ['role-bindings', 'list', '--client-id', reader.client_id, '-o', 'id'];
  expect(await topctl(list, world)).toEqual({ exitCode: 0, stdout: binding, stderr: '' });
  const unbind = ['role-bindings', 'delete', reader.client_id, 'integration_reader'];
  const { exitCode, stderr } = await topctl(unbind, { ...world, typed: ['y'] });
  expect(exitCode).toBe(0);
  expect(stderr).toContain(`Take the role integration_reader away from ${reader.client_id} of tenant ${tenant_id}?`);
  expect(await topctl(list, world)).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  expect((await topctl(['commands', 'list'], { env: environmentOf(reader) })).exitCode).toBe(5);
});

test('the roles of the tenant are listed with what they grant', async () => {
  const { admin } = await createTenant();
  const { stdout } = await topctl(['roles', 'list', '-o', 'table'], { env: environmentOf(admin) });
  expect(stdout).toMatch(/^ROLE +BUILT_IN +SCOPES\n/);
  expect(stdout).toMatch(/^integration_reader +true +open:command:read, /m);
});

test('the catalog is whole in JSON and one line a command type for people', async () => {
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
