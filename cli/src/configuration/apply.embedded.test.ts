import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startNode, temporaryFolder, unlimited } from '@tenant-open-platform/testing';
import { describe, expect, test, vi } from 'vitest';
import { filesBelow } from '../../test/files-below.js';
import { readJson, schemaOf, tenantWithAll, vendorsWith, writeFiles } from '../../test/platform-files.js';
import { environmentOf, type Outcome, topctl, type World } from '../../test/topctl.js';

vi.setConfig({ testTimeout: 120_000 });

const node = await startNode(unlimited);
const env = environmentOf(node.admin);
const SECRET = /osk_[0-9A-Za-z]{49}|whsec_/;

type Step = { action: string; kind: string; name: string; place: string; changes: object[]; done: boolean | null };

const apply = (world: World, ...flags: string[]) => topctl(['apply', '-f', 'platform', ...flags], { env, ...world });
const stepsOf = ({ stdout }: Outcome) => JSON.parse(stdout) as Step[];
const toDoIn = (outcome: Outcome) => stepsOf(outcome).filter(({ action }) => !['NONE', 'KEEP'].includes(action));
const admin = (...argv: string[]) => topctl(argv, { env });

let number = 0;
/** A folder, and a name for what a test adds to the platform. */
const fresh = () => ({ cwd: temporaryFolder(), name: `t${number++}` });

describe('a platform of 20 tenants and 50 command types', () => {
  const cwd = temporaryFolder();
  const tenants = Array.from({ length: 20 }, (_, index) => tenantWithAll(`tenant-${index}`));
  const secrets = ['--secrets-dir', 'secrets', '--yes'];
  const write = () =>
    writeFiles(cwd, {
      'platform/catalog.json': { vendors: vendorsWith(50) },
      ...Object.fromEntries(
        tenants.map((tenant) => [`platform/tenants/${tenant.tenant_id}.yaml`, { tenants: [tenant] }]),
      ),
      ...Object.fromEntries(
        tenants.map(({ tenant_id }) => [`secrets/${tenant_id}/object-credentials/ACMEFIRMWARE.secret`, 'KEY\n']),
      ),
    });

  test('is created from files, with secrets that only the user can read; the second plan is empty', async () => {
    await write();
    const planned = await apply({ cwd }, '--dry-run');
    expect(planned).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('needs the secret access key of') });
    const first = await apply({ cwd }, ...secrets);
    expect(first).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/(\d+) of \1 steps are done\.\n$/) });
    // 2 vendors, 50 command types, and 12 things for each tenant.
    expect(toDoIn(first)).toHaveLength(2 + 50 + 20 * 12);
    expect(toDoIn(first).every(({ action, done }) => action === 'CREATE' && done)).toBe(true);
    expect(first.stdout + first.stderr).not.toMatch(SECRET);

    const second = await apply({ cwd }, ...secrets);
    expect(second).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Nothing to do') });
    expect(toDoIn(second)).toEqual([]);
    expect(second.stderr).toContain('Left alone: 2 vendors, 50 command types, 20 tenants, 20 roles, 40 credentials, ');

    const files = await filesBelow(join(cwd, 'secrets/tenant-7'));
    const { 'object-credentials/ACMEFIRMWARE.secret': _, ...issued } = files;
    expect(Object.keys(issued).sort()).toEqual([
      'callback-endpoints/Orders %2F new.secret',
      'tenant-7-admin.json',
      'tenant-7-backend.json',
    ]);
    expect(Object.values(issued).map(({ mode }) => mode)).toEqual(['600', '600', '600']);
    const whoami = await topctl(['whoami', '--profile-file', 'secrets/tenant-7/tenant-7-backend.json'], { cwd });
    expect(JSON.parse(whoami.stdout)).toMatchObject({ tenant_id: 'tenant-7', roles: ['replier'] });
  });

  test('is put right after changes by hand; the plan shows both values', async () => {
    await admin('tenants', 'update', 'tenant-3', '--name', 'By hand');
    await admin('roles', 'put', 'replier', '--tenant', 'tenant-3', '--scopes', 'open:command:read');
    const schema = JSON.stringify(schemaOf(9_999));
    await admin('command-types', 'put', 'acme_pumps', 'command_4', '--payload-schema', schema);
    const asTenant = { cwd, env: {} };
    const profile = ['--profile-file', 'secrets/tenant-3/tenant-3-admin.json'];
    const [endpoint = ''] = (
      await topctl([...profile, 'callback-endpoints', 'list', '-o', 'id'], asTenant)
    ).stdout.split('\n');
    await topctl([...profile, 'callback-endpoints', 'update', endpoint, '--max-attempts', '9'], asTenant);

    const planned = await apply({ cwd }, '--dry-run', ...secrets, '-o', 'table');
    expect(planned.exitCode).toBe(0);
    for (const line of [
      '~ tenant tenant-3  platform/tenants/tenant-3.yaml:',
      '    name: "By hand" → "Tenant tenant-3"',
      '    scopes: ["open:command:read"] → ["open:device-request:read","open:device-request:create"]',
      '    payload_schema.properties.rpm.maximum: 9999 → 5',
      '    max_attempts: 9 → 3',
      'Plan: 0 to create, 4 to change, 0 to disable.',
    ]) {
      expect(planned.stdout).toContain(line);
    }
    const applied = await apply({ cwd }, ...secrets);
    expect(toDoIn(applied).map(({ action, kind, done }) => [action, kind, done])).toEqual([
      ['CHANGE', 'command type', true],
      ['CHANGE', 'tenant', true],
      ['CHANGE', 'role', true],
      ['CHANGE', 'callback endpoint', true],
    ]);
    expect(toDoIn(await apply({ cwd }, ...secrets))).toEqual([]);
  });

  test('exported and applied to another platform, is exported as the same files', async () => {
    const exported = await topctl(['export', '--to', 'first', '--secrets-dir', 'secrets'], { cwd, env });
    expect(exported).toMatchObject({ exitCode: 0 });
    const first = await filesBelow(join(cwd, 'first'));
    expect(Object.keys(first)).toEqual(expect.arrayContaining(['vendors/acme_pumps.yaml', 'tenants/tenant-19.yaml']));
    expect(JSON.stringify(first)).not.toMatch(SECRET);
    expect(first['tenants/tenant-19.yaml']?.text).toContain('object_resources:');

    const other = await startNode(unlimited);
    const world = { cwd, env: environmentOf(other.admin) };
    const keys = Object.fromEntries(
      tenants.map(({ tenant_id }) => [`secrets-2/${tenant_id}/object-credentials/ACMEFIRMWARE.secret`, 'KEY']),
    );
    await writeFiles(cwd, keys);
    const into = ['-f', 'first', '--secrets-dir', 'secrets-2', '--yes'];
    expect(await topctl(['apply', ...into], world)).toMatchObject({ exitCode: 0 });
    expect(toDoIn(await topctl(['apply', ...into], world))).toEqual([]);
    const again = await topctl(['export', '--to', 'second', '--secrets-dir', 'secrets-2'], world);
    expect(again).toMatchObject({ exitCode: 0 });
    expect(await filesBelow(join(cwd, 'second'))).toEqual(first);
    const third = await topctl(['export', '--to', 'second', '--secrets-dir', 'secrets-2'], world);
    expect(new Set(JSON.parse(third.stdout).map(({ outcome }: { outcome: string }) => outcome))).toEqual(
      new Set(['unchanged']),
    );
  });
});

test('stops at the first refusal, says what is done, and a repetition does the rest', async () => {
  const { cwd, name } = fresh();
  const types = (schema: object) => ({
    vendors: [
      {
        vendor: `vendor_${name}`,
        command_types: [
          { command_type: 'first', description: 'First.', payload_schema: {} },
          { command_type: 'second', description: 'Second.', payload_schema: schema },
          { command_type: 'third', description: 'Third.', payload_schema: {} },
        ],
      },
    ],
    tenants: [{ tenant_id: `${name}-acme`, name: 'Acme' }],
  });
  await writeFiles(cwd, { 'platform/all.json': types({ type: 'no such type' }) });
  const refused = await apply({ cwd }, '--yes');
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain(`created command type vendor_${name}/first\n`);
  expect(refused.stderr).toMatch(
    new RegExp(`Stopped at command type vendor_${name}/second \\(platform/all.json:\\d+\\): 2 of 5 steps are done`),
  );
  expect(refused.stderr).toContain('(PAYLOAD_SCHEMA_INVALID)');
  expect(toDoIn(refused).map(({ done }) => done)).toEqual([true, true, false, false, false]);

  await writeFiles(cwd, { 'platform/all.json': types({ type: 'object' }) });
  const repeated = await apply({ cwd }, '--yes');
  expect(repeated.exitCode).toBe(0);
  expect(toDoIn(repeated).map((step) => step.name)).toEqual([
    `vendor_${name}/second`,
    `vendor_${name}/third`,
    `${name}-acme`,
  ]);
  expect(toDoIn(await apply({ cwd }))).toEqual([]);
});

test('names every fault of the files with its place, and sends nothing', async () => {
  const { cwd } = fresh();
  const seed = `S${'UAIBDPBAUTWCWBKIO6XHQNINK5FWJW4OHLXC3HQ2KFE4PEJUA44CNHTC4'}`;
  await writeFiles(cwd, {
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
  });
  const none = { env: { TOP_BASE_URL: 'http://127.0.0.1:1', TOP_CLIENT_ID: 'x', TOP_SECRET: 'y' } };
  const refused = await apply({ cwd, ...none });
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  for (const line of [
    'platform/a.yaml:3: tenants[0].nmae is an unknown field. Did you mean name?',
    'platform/a.yaml:7: tenants[0].credentials[0].status must be ACTIVE or DISABLED',
    'platform/a.yaml:9: tenants[0].bus_principals[0].bus_user_public_key contains a private seed.',
    'platform/a.yaml:11: vendor is an unknown field. Did you mean vendors?',
    'platform/b.yml:1:33: Map keys must be unique',
    'platform/c.json:1: tenants[0].tenant_id is required',
  ]) {
    expect(refused.stderr).toContain(line);
  }
  expect(refused.stderr).not.toContain(seed.slice(5));

  await writeFiles(cwd, {
    'platform/a.yaml': 'tenants:\n  - tenant_id: acme\n    credentials: [{ client_id: app, name: App }]',
    'platform/b.yml':
      'tenants:\n  - tenant_id: other\n    credentials:\n      - { client_id: app, name: App }\n  - tenant_id: acme',
    'platform/c.json': '{}',
  });
  const twice = await apply({ cwd, ...none });
  expect(twice.exitCode).toBe(2);
  expect(twice.stderr).toContain('platform/b.yml:4: credential other/app is already in platform/a.yaml:3');
  expect(twice.stderr).toContain('platform/b.yml:5: tenant acme is already in platform/a.yaml:2');
});

test('--prune disables what a list no longer names, and deletes nothing; --prune-all also whole vendors and tenants', async () => {
  const own = await startNode(unlimited);
  const world = { cwd: temporaryFolder(), env: environmentOf(own.admin) };
  const { vendors, tenants } = { vendors: vendorsWith(4), tenants: [tenantWithAll('acme'), tenantWithAll('globex')] };
  const secrets = ['--secrets-dir', 'secrets', '--yes'];
  const keys = ['acme', 'globex'].map((id) => [`secrets/${id}/object-credentials/ACMEFIRMWARE.secret`, 'KEY']);
  await writeFiles(world.cwd, { 'platform/all.json': { vendors, tenants }, ...Object.fromEntries(keys) });
  expect(await apply(world, ...secrets)).toMatchObject({ exitCode: 0 });

  const acme = tenants[0] as Record<string, object[]>;
  const pumps = vendors[0] as Record<string, object[]>;
  await writeFiles(world.cwd, {
    'platform/all.json': {
      vendors: [{ ...pumps, command_types: pumps.command_types?.slice(1) }],
      tenants: [
        {
          tenant_id: 'acme',
          credentials: acme.credentials?.slice(0, 1),
          role_bindings: acme.role_bindings?.slice(0, 1),
          roles: [],
          callback_endpoints: [],
        },
      ],
    },
  });
  expect(toDoIn(await apply(world, ...secrets))).toEqual([]);
  const pruned = await apply(world, '--prune', ...secrets);
  expect(pruned.exitCode).toBe(0);
  expect(toDoIn(pruned).map(({ action, kind, name }) => `${action} ${kind} ${name}`)).toEqual([
    'DISABLE callback endpoint acme/Orders / new',
    'DISABLE credential acme/acme-backend',
    'DISABLE command type acme_pumps/command_0',
  ]);
  const kept = stepsOf(pruned).filter(({ action }) => action === 'KEEP');
  expect(kept.map(({ kind, name }) => `${kind} ${name}`)).toEqual(
    expect.arrayContaining([
      'role acme/replier',
      'role binding acme/acme-backend/replier',
      'tenant globex',
      'vendor acme_valves',
    ]),
  );
  expect(pruned.stderr).toContain('to delete it: topctl role-bindings delete acme-backend replier --tenant acme');
  expect(toDoIn(await apply(world, '--prune', ...secrets))).toEqual([]);

  const all = toDoIn(await apply(world, '--prune-all', ...secrets)).map(
    ({ action, kind, name }) => `${action} ${kind} ${name}`,
  );
  expect(all).toEqual(
    expect.arrayContaining(['DISABLE tenant globex', 'DISABLE tenant demo', 'DISABLE vendor acme_valves']),
  );
  expect(all.join()).not.toContain('tenant platform');
  expect(toDoIn(await apply(world, '--prune-all', ...secrets))).toEqual([]);
});

test('asks on a terminal, needs --yes elsewhere, and does nothing if the platform changes meanwhile', async () => {
  const { cwd, name } = fresh();
  const tenant_id = `${name}-asked`;
  await writeFiles(cwd, { 'platform/a.yaml': `tenants: [{ tenant_id: ${tenant_id}, name: Asked }]` });
  const unasked = await apply({ cwd });
  expect(unasked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('missing --yes') });
  expect(unasked.stderr).toContain(`+ tenant ${tenant_id}`);
  const no = await apply({ cwd, typed: ['n'], table: true });
  expect(no).toMatchObject({ exitCode: 130, stdout: expect.stringContaining(`+ tenant ${tenant_id}`) });

  let lists = 0;
  const meddling: typeof fetch = async (input, init) => {
    const isList = new URL(String(input)).pathname === '/api/v1/platform/tenants' && init?.method === 'GET';
    if (isList && ++lists === 2) await admin('tenants', 'create', '--tenant-id', tenant_id, '--name', 'Other');
    return fetch(input, init);
  };
  const changed = await apply({ cwd, typed: ['y'], fetch: meddling });
  expect(changed).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('has changed since the plan was shown'),
  });
  expect(JSON.parse((await admin('tenants', 'get', tenant_id)).stdout)).toMatchObject({ name: 'Other' });
  expect(await apply({ cwd, typed: ['y'] })).toMatchObject({ exitCode: 0 });
  expect(JSON.parse((await admin('tenants', 'get', tenant_id)).stdout)).toMatchObject({ name: 'Asked' });
});

test('a lost answer loses no secret: the file keeps the request, and a repetition fetches the secret', async () => {
  const { cwd, name } = fresh();
  const client_id = `${name}-app`;
  await writeFiles(cwd, {
    'platform/a.json': { tenants: [{ tenant_id: name, name: 'Lost', credentials: [{ client_id, name: 'App' }] }] },
  });
  const losing: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (init?.method !== 'POST' || !String(input).endsWith('/credentials')) return response;
    await response.arrayBuffer();
    throw new TypeError('fetch failed');
  };
  const flags = ['--secrets-dir', 'secrets', '--yes'];
  const lost = await apply({ cwd, fetch: losing }, '--timeout', '2', ...flags);
  expect(lost).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`Stopped at credential ${name}/${client_id}`),
  });
  const path = join(cwd, 'secrets', name, `${client_id}.json`);
  expect(await readJson(path)).toMatchObject({ idempotency_key: expect.any(String) });
  const repeated = await apply({ cwd }, ...flags);
  expect(toDoIn(repeated).map(({ action }) => action)).toEqual(['RECOVER']);
  expect(await readJson(path)).toMatchObject({ tenant_id: name, client_id, secret: expect.stringMatching(SECRET) });
  expect(await topctl(['whoami', '--profile-file', path], { cwd })).toMatchObject({ exitCode: 0 });
  expect(toDoIn(await apply({ cwd }, ...flags))).toEqual([]);
});

test('refuses, before anything is done, a plan whose secrets have no place, and secrets among the files', async () => {
  const { cwd, name } = fresh();
  const client_id = `${name}-app`;
  await writeFiles(cwd, {
    'platform/a.json': { tenants: [{ tenant_id: name, name: 'Secret', credentials: [{ client_id, name: 'App' }] }] },
    [`taken/${name}/${client_id}.json`]: '{"secret": "of another platform"}',
  });
  expect(await apply({ cwd }, '--yes')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--secrets-dir FOLDER'),
  });
  const among = await apply({ cwd }, '--yes', '--secrets-dir', 'platform/secrets');
  expect(among).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('is in platform, which is applied') });
  const taken = await apply({ cwd }, '--yes', '--secrets-dir', 'taken');
  expect(taken).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`taken/${name}/${client_id}.json exists`),
  });
  expect((await admin('tenants', 'get', name)).exitCode).toBe(3);
  expect(await apply({ cwd }, '--dry-run')).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('--secrets-dir'),
  });
  expect((await admin('tenants', 'get', name)).exitCode).toBe(3);
});

test('refuses a plan that the platform can never carry out', async () => {
  const { cwd, name } = fresh();
  const write = (...tenants: object[]) => writeFiles(cwd, { 'platform/a.json': { tenants } });
  const flags = ['--secrets-dir', 'secrets', '--yes'];
  const tenant = tenantWithAll(name) as Record<string, object[]>;
  const [principal] = tenant.bus_principals ?? [];
  await admin('vendors', 'put', 'acme_pumps', '--enabled', 'true');
  const kept = { tenant_id: name, name: 'Final', credentials: tenant.credentials, bus_principals: [principal] };
  await write(kept);
  expect(await apply({ cwd }, ...flags)).toMatchObject({ exitCode: 0 });
  await admin('credentials', 'update', `${name}-backend`, '--tenant', name, '--status', 'DELETED', '--yes');
  await write(
    { ...kept, bus_principals: [{ ...principal, bus_user: 'other' }], callback_endpoints: [] },
    { tenant_id: `${name}-2`, callback_endpoints: [{ name: 'x', url: 'https://hooks.acme.example/' }] },
  );
  const refused = await apply({ cwd }, ...flags);
  expect(refused.exitCode).toBe(2);
  for (const text of [
    `credential ${name}/${name}-backend is DELETED, which is final: remove it from the file`,
    `cannot be changed from "${name}-adapter" to "other"`,
    `only a credential of tenant ${name} can see its callback endpoints`,
    `tenant ${name}-2 does not exist yet, so it needs name`,
    `the callback endpoints of ${name}-2 need a credential of ${name}-2 in the file with a role such as tenant_admin`,
  ]) {
    expect(refused.stderr).toContain(text);
  }
});

test('takes stdin, and the administrator of a tenant applies and exports its own tenant', async () => {
  const { cwd, name } = fresh();
  await writeFiles(cwd, {
    'platform/a.json': {
      tenants: [{ ...tenantWithAll(name), vendors: null, bus_principals: [], object_credentials: [] }],
    },
  });
  const flags = ['--secrets-dir', 'secrets', '--yes'];
  expect(await apply({ cwd }, ...flags)).toMatchObject({ exitCode: 0 });
  const own = ['--profile-file', `secrets/${name}/${name}-admin.json`];
  const exported = await topctl([...own, 'export', '--to', 'own', '-o', 'json'], { cwd });
  expect(exported).toMatchObject({ exitCode: 0 });
  expect(Object.keys(await filesBelow(join(cwd, 'own')))).toEqual([`tenants/${name}.json`]);
  const document = await readJson(join(cwd, 'own', `tenants/${name}.json`));
  document.tenants[0].callback_endpoints[0].timeout_seconds = 7;
  const changed = await topctl([...own, 'apply', '-f', '-', '--yes'], { cwd, stdin: JSON.stringify(document) });
  expect(toDoIn(changed)).toEqual([
    expect.objectContaining({ kind: 'callback endpoint', changes: [{ field: 'timeout_seconds', from: 15, to: 7 }] }),
  ]);
});

test('prints the JSON Schema that the package has', async () => {
  const { stdout } = await topctl(['apply', '--schema']);
  expect(stdout).toBe(await readFile(new URL('../../configuration.schema.json', import.meta.url), 'utf8'));
});
