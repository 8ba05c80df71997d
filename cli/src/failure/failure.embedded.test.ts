import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createCredential,
  createTenant,
  platform,
  signedRequest,
  temporaryFolder,
} from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { environmentOf, topctl } from '../../test/topctl.js';

test('a wrong secret: exit code 4, and a note that the request arrived unchanged', async () => {
  const { reader, admin } = await createTenant();
  const env = environmentOf({ ...reader, secret: admin.secret });
  const { exitCode, stdout, stderr } = await topctl(['whoami'], { env });
  expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
  expect(stderr).toContain('(UNAUTHENTICATED)');
  expect(stderr).toContain('The request arrived as it was signed, so the client_id or the secret is wrong');
  expect(stderr).not.toContain(admin.secret);
});

test('a request that a proxy rewrote: the line that differs', async () => {
  const { reader } = await createTenant();
  const rewriting: typeof fetch = (input, init) => fetch(`${String(input)}?tracking=1`, init);
  const { exitCode, stderr } = await topctl(['whoami'], { env: environmentOf(reader), fetch: rewriting });
  expect(exitCode).toBe(4);
  expect(stderr).toContain('target: signed "/api/v1/open/me", received "/api/v1/open/me?tracking=1"\n');
});

test('a missing permission: exit code 5, and the command that grants the scope, which works', async () => {
  const { reader, admin } = await createTenant();
  const refused = await topctl(
    ['objects', 'presign', '--operation', 'UPLOAD', '--resource-id', 'r', '--object-key', 'k'],
    {
      env: environmentOf(reader),
    },
  );
  expect(refused).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('lacks the scope open:object:create') });
  const [, grant = ''] = /grants it with: topctl (.+)/.exec(refused.stderr) ?? [];
  expect(await topctl(grant.split(' '), { env: environmentOf(admin) })).toMatchObject({ exitCode: 0 });
  const { stdout } = await topctl(['whoami'], { env: environmentOf(reader) });
  expect(JSON.parse(stdout).scopes).toContain('open:object:create');
});

test('a role in use: the command that lists its bindings, with the profile, which works', async () => {
  const { reader, tenant_id } = await createTenant();
  const cwd = temporaryFolder();
  await writeFile(join(cwd, 'admin.json'), JSON.stringify(platform().admin), { mode: 0o600 });
  const run = (line: string) => topctl(line.split(' '), { cwd });
  const as = `--profile-file admin.json --tenant ${tenant_id}`;
  await run(`roles put own --scope open:command:read ${as}`);
  await run(`role-bindings create --client-id ${reader.client_id} --role own ${as}`);
  const { stderr } = await run(`roles delete own --yes ${as}`);
  const [, list = ''] = /next: topctl (.+)/.exec(stderr) ?? [];
  expect(list, stderr).toContain('--role own');
  const { stdout } = await run(list);
  expect(JSON.parse(stdout)).toMatchObject([{ client_id: reader.client_id, role: 'own' }]);
});

test('a vendor outside the limit of the tenant: what the tenant may use, with its profile, and who may change it', async () => {
  const { operator, tenant_id } = await createTenant();
  const limit = { body: { vendors: ['vendor_a'] } };
  await signedRequest(platform().admin, 'PUT', `/api/v1/platform/tenants/${tenant_id}`, limit);
  const cwd = temporaryFolder();
  await writeFile(join(cwd, 'operator.json'), JSON.stringify(operator), { mode: 0o600 });
  const create = 'commands create --vendor vendor_b --device-id ok-1 --command-type reboot';
  const { stderr } = await topctl([...create.split(' '), '--profile-file', 'operator.json'], { cwd });
  expect(stderr).toContain('(VENDOR_NOT_ENABLED)');
  expect(stderr).toContain(`topctl tenants update ${tenant_id} --vendors LIST`);
  const [, catalog = ''] = /next: topctl ([^,]+),/.exec(stderr) ?? [];
  const { stdout } = await topctl(catalog.split(' '), { cwd });
  expect(JSON.parse(stdout).vendors.map(({ vendor }: { vendor: string }) => vendor)).toEqual(['vendor_a']);
  // A credential that may only send is not told to read the catalog.
  const { client_id, ...rest } = await createCredential(tenant_id);
  const policy = { body: { client_id, scope: 'open:command:create' } };
  await signedRequest(platform().admin, 'POST', `/api/v1/platform/tenants/${tenant_id}/policies`, policy);
  const sender = await topctl(create.split(' '), { env: environmentOf({ client_id, ...rest }) });
  expect(sender.stderr).toContain('(VENDOR_NOT_ENABLED)');
  expect(sender.stderr).not.toContain('catalog get');
});

test('a field that a table shows on the first level: the path that --fields takes, which works', async () => {
  const { reader } = await createTenant();
  const whoami = (field: string) =>
    topctl(['whoami', '--fields', field, '-o', 'table'], { env: environmentOf(reader) });
  for (const name of ['requests_per_minute_per_tenant', 'callback_endpoints_per_tenant']) {
    const [, path = ''] = /no such field; use (\S+)/.exec((await whoami(name)).stderr) ?? [];
    expect(path).toMatch(/^limits\./);
    expect((await whoami(path)).stdout).toMatch(new RegExp(`^${path} +\\S`));
  }
});

test('a refused field: each location with its message', async () => {
  const { admin } = await createTenant();
  const argv = ['credentials', 'update', admin.client_id, '--allowed-clock-skew-seconds', '1', '--expires-at', 'soon'];
  const { exitCode, stderr } = await topctl(argv, { env: environmentOf(admin) });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^ {2}--allowed-clock-skew-seconds: .+$/m);
  expect(stderr).toMatch(/^ {2}--expires-at: .+$/m);
});
