import { platform, temporaryFolder } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { apply, inSecrets, tenantWithAll, writeFiles } from '../../test/platform-files.js';
import { environmentOf, topctl } from '../../test/topctl.js';

const env = environmentOf(platform().admin);
const admin = (...argv: string[]) => topctl(argv, { env });

/** A folder, and a name for what a test adds to the platform. */
const fresh = () => ({ world: { cwd: temporaryFolder(), env }, name: `t${crypto.randomUUID().slice(0, 8)}` });

test('names every fault of the files with its place, and sends nothing', async () => {
  const { world } = fresh();
  const seed = `S${'UAIBDPBAUTWCWBKIO6XHQNINK5FWJW4OHLXC3HQ2KFE4PEJUA44CNHTC4'}`;
  await writeFiles(world.cwd, {
    'platform/a.yaml': [
      'tenants:',
      '  - tenant_id: acme',
      '    nmae: Acme',
      '    credentials:',
      '      - client_id: acme-app',
      '        name: App',
      '        status: DELETED',
      '    bus_principals:',
      `      - { bus_user: x, bus_account_public_key: A, bus_user_public_key: ${seed}, principal_type: SERVICE }`,
      '---',
      'vendor: []',
    ].join('\n'),
    'platform/b.yml': 'tenants: [{ tenant_id: acme, tenant_id: other }]',
    'platform/c.json': '{"tenants": [{"name": "No id"}]}',
    'platform/d.json':
      '{"vendors": [{"vendor": "v", "command_types": [{"command_type": "c", "payload_schema": {"maximum": 9007199254740993}}]}]}',
  });
  const none = { env: { TOP_BASE_URL: 'http://127.0.0.1:1', TOP_CLIENT_ID: 'x', TOP_SECRET: 'y' } };
  const refused = await apply({ ...world, ...none });
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  for (const line of [
    'platform/a.yaml:3: tenants[0].nmae is an unknown field. Did you mean name?',
    'platform/a.yaml:7: tenants[0].credentials[0].status must be ACTIVE or DISABLED',
    'platform/a.yaml:9: tenants[0].bus_principals[0].bus_user_public_key contains a private seed.',
    'platform/a.yaml:11: vendor is an unknown field. Did you mean vendors?',
    'platform/b.yml:1:30: Map keys must be unique',
    'platform/c.json:1: tenants[0].tenant_id is required',
    'platform/d.json:1: a number that JSON cannot hold exactly',
  ]) {
    expect(refused.stderr).toContain(line);
  }
  expect(refused.stderr).not.toContain(seed.slice(5));

  await writeFiles(world.cwd, {
    'platform/a.yaml': 'tenants:\n  - tenant_id: acme\n    credentials: [{ client_id: app, name: App }]',
    'platform/b.yml':
      'tenants:\n  - tenant_id: other\n    credentials:\n      - { client_id: app, name: App }\n  - tenant_id: acme',
    'platform/c.json': '{}',
    'platform/d.json': '{}',
  });
  const twice = await apply({ ...world, ...none });
  expect(twice.exitCode).toBe(2);
  expect(twice.stderr).toContain('platform/b.yml:4: credential other/app is already in platform/a.yaml:3');
  expect(twice.stderr).toContain('platform/b.yml:5: tenant acme is already in platform/a.yaml:2');
});

test('refuses, before anything is done, a plan whose secrets have no place, and secrets among the files', async () => {
  const { world, name } = fresh();
  const client_id = `${name}-app`;
  await writeFiles(world.cwd, {
    'platform/a.json': { tenants: [{ tenant_id: name, name: 'Secret', credentials: [{ client_id, name: 'App' }] }] },
    [`taken/${name}/${client_id}.json`]: '{"secret": "of another platform"}',
  });
  expect(await apply(world, '--yes')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--secrets-dir FOLDER'),
  });
  const among = await apply(world, '--yes', '--secrets-dir', 'platform/secrets');
  expect(among).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('is in platform, which is applied') });
  const taken = await apply(world, '--yes', '--secrets-dir', 'taken');
  expect(taken).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`taken/${name}/${client_id}.json exists`),
  });
  expect((await admin('tenants', 'get', name)).exitCode).toBe(3);
  expect(await apply(world, '--dry-run')).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('--secrets-dir'),
  });
  expect((await admin('tenants', 'get', name)).exitCode).toBe(3);
});

test('refuses a plan that the platform can never carry out', async () => {
  const { world, name } = fresh();
  const write = (...tenants: object[]) => writeFiles(world.cwd, { 'platform/a.json': { tenants } });
  const tenant = tenantWithAll(name) as Record<string, object[]>;
  const [principal] = tenant.bus_principals ?? [];
  await admin('vendors', 'put', 'acme_pumps', '--enabled', 'true');
  const kept = { tenant_id: name, name: 'Final', credentials: tenant.credentials, bus_principals: [principal] };
  await write(kept);
  expect(await apply(world, ...inSecrets)).toMatchObject({ exitCode: 0 });
  await admin('credentials', 'update', `${name}-backend`, '--tenant', name, '--status', 'DELETED', '--yes');
  await write(
    {
      ...kept,
      bus_principals: [{ ...principal, bus_user: 'other' }],
      callback_endpoints: [],
      roles: [{ role: 'support_reader', scopes: ['open:command:create'] }],
    },
    { tenant_id: `${name}-2`, callback_endpoints: [{ name: 'x', url: 'https://hooks.acme.example/' }] },
  );
  const refused = await apply(world, ...inSecrets);
  expect(refused.exitCode).toBe(2);
  for (const text of [
    `Left out credential ${name}/${name}-backend (platform/a.json:11): it is DELETED, which is final.`,
    `role ${name}/support_reader is built in: give yours another name`,
    `cannot be changed from "${name}-adapter" to "other"`,
    `only a credential of tenant ${name} can see its callback endpoints`,
    `tenant ${name}-2 does not exist yet, so it needs name`,
    `the callback endpoints of ${name}-2 need a credential of ${name}-2 in the file with a role such as tenant_admin`,
  ]) {
    expect(refused.stderr).toContain(text);
  }
});
