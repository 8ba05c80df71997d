import { join } from 'node:path';
import { startNode, temporaryFolder, unlimited } from '@tenant-open-platform/testing';
import { expect, test, vi } from 'vitest';
import { filesBelow } from '../../test/files-below.js';
import {
  accessKeys,
  apply,
  inSecrets,
  SECRET,
  schemaOf,
  stepsOf,
  tenantWithAll,
  toDoIn,
  vendorsWith,
  writeFiles,
} from '../../test/platform-files.js';
import { environmentOf, topctl } from '../../test/topctl.js';

vi.setConfig({ testTimeout: 300_000 });

test('a platform of 20 tenants and 50 command types is created from files; the second plan is empty; a change by hand is put right', async () => {
  const node = await startNode(unlimited);
  const cwd = temporaryFolder();
  const world = { cwd, env: environmentOf(node.admin) };
  const tenants = Array.from({ length: 20 }, (_, index) => {
    const { tenant_id, name, credentials, ...all } = tenantWithAll(`tenant-${index}`);
    return { tenant_id, name, credentials, ...(index % 4 === 3 && all) };
  });
  await writeFiles(cwd, {
    'platform/catalog.json': { vendors: vendorsWith(50) },
    ...Object.fromEntries(
      tenants.map((tenant) => [`platform/tenants/${tenant.tenant_id}.yaml`, { tenants: [tenant] }]),
    ),
    ...accessKeys('secrets', tenants),
  });
  const first = await apply(world, ...inSecrets);
  expect(first).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/(\d+) of \1 steps are done\.\n$/) });
  // 2 vendors, 50 command types, 5 tenants with 12 things, and 15 tenants with their credentials.
  expect(toDoIn(first)).toHaveLength(2 + 50 + 5 * 12 + 15 * 3);
  expect(toDoIn(first).every(({ action, done }) => action === 'CREATE' && done)).toBe(true);
  expect(first.stdout + first.stderr).not.toMatch(SECRET);
  const second = await apply(world, ...inSecrets);
  expect(second).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Nothing to do') });
  expect(toDoIn(second)).toEqual([]);
  expect(second.stderr).toContain('Left alone: 2 vendors, 50 command types, 20 tenants, 40 credentials, 5 roles, ');

  const { 'object-credentials/ACMEFIRMWARE.secret': _, ...issued } = await filesBelow(join(cwd, 'secrets/tenant-7'));
  expect(Object.keys(issued).sort()).toEqual([
    'callback-endpoints/Orders %2F new.secret',
    'tenant-7-admin.json',
    'tenant-7-backend.json',
  ]);
  expect(Object.values(issued).map(({ mode }) => mode)).toEqual(['600', '600', '600']);
  const whoami = await topctl(['whoami', '--profile-file', 'secrets/tenant-7/tenant-7-backend.json'], { cwd });
  expect(JSON.parse(whoami.stdout)).toMatchObject({ tenant_id: 'tenant-7', roles: ['replier'] });

  await topctl(['tenants', 'update', 'tenant-3', '--name', 'By hand'], world);
  await topctl(['roles', 'put', 'replier', '--tenant', 'tenant-3', '--scopes', 'open:command:read'], world);
  const schema = JSON.stringify(schemaOf(9_999));
  await topctl(['command-types', 'put', 'acme_pumps', 'command_4', '--payload-schema', schema], world);
  const asTenant = (...argv: string[]) =>
    topctl(['--profile-file', 'secrets/tenant-3/tenant-3-admin.json', 'callback-endpoints', ...argv], { cwd });
  const endpoint = (await asTenant('list', '-o', 'id')).stdout.trim();
  expect(await asTenant('update', endpoint, '--max-attempts', '9')).toMatchObject({ exitCode: 0 });

  const planned = await apply(world, '--dry-run', ...inSecrets, '-o', 'table');
  expect(planned.exitCode).toBe(0);
  for (const line of [
    '~ tenant tenant-3  platform/tenants/tenant-3.yaml:',
    '    name: "By hand" → "Tenant tenant-3"',
    '    scopes: ["open:command:read"] → ["open:device-request:read", "open:device-request:create"]',
    '    payload_schema.properties.rpm.maximum: 9999 → 5',
    '    max_attempts: 9 → 3',
    'Plan: 0 to create, 4 to change, 0 to disable.',
  ]) {
    expect(planned.stdout).toContain(line);
  }
  const repaired = toDoIn(await apply(world, ...inSecrets));
  expect(repaired.map(({ action, kind, done }) => [action, kind, done])).toEqual([
    ['CHANGE', 'command type', true],
    ['CHANGE', 'tenant', true],
    ['CHANGE', 'role', true],
    ['CHANGE', 'callback endpoint', true],
  ]);
  expect(toDoIn(await apply(world, ...inSecrets))).toEqual([]);
});

test('--prune disables what a list no longer names, and deletes nothing; --prune-all also whole vendors and tenants', async () => {
  const own = await startNode(unlimited);
  const world = { cwd: temporaryFolder(), env: environmentOf(own.admin) };
  const { vendors, tenants } = { vendors: vendorsWith(4), tenants: [tenantWithAll('acme'), tenantWithAll('globex')] };
  await writeFiles(world.cwd, { 'platform/all.json': { vendors, tenants }, ...accessKeys('secrets', tenants) });
  expect(await apply(world, ...inSecrets)).toMatchObject({ exitCode: 0 });

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
  expect(toDoIn(await apply(world, ...inSecrets))).toEqual([]);
  const pruned = await apply(world, '--prune', ...inSecrets);
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
  expect(toDoIn(await apply(world, '--prune', ...inSecrets))).toEqual([]);

  const all = toDoIn(await apply(world, '--prune-all', ...inSecrets)).map(
    ({ action, kind, name }) => `${action} ${kind} ${name}`,
  );
  expect(all).toEqual(
    expect.arrayContaining(['DISABLE tenant globex', 'DISABLE tenant demo', 'DISABLE vendor acme_valves']),
  );
  expect(all.join()).not.toContain('tenant platform');
  expect(toDoIn(await apply(world, '--prune-all', ...inSecrets))).toEqual([]);
});
