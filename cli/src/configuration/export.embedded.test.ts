import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { platform, startNode, temporaryFolder, unlimited } from '@tenant-open-platform/testing';
import { expect, test, vi } from 'vitest';
import { filesBelow } from '../../test/files-below.js';
import {
  accessKeys,
  apply,
  inSecrets,
  readJson,
  SECRET,
  tenantWithAll,
  toDoIn,
  vendorsWith,
  writeFiles,
} from '../../test/platform-files.js';
import { environmentOf, topctl } from '../../test/topctl.js';

vi.setConfig({ testTimeout: 300_000 });

test('exported and applied to another platform, is exported as the same files', async () => {
  const cwd = temporaryFolder();
  const [one, other] = await Promise.all([startNode(unlimited), startNode(unlimited)]);
  const from = { cwd, env: environmentOf(one.admin) };
  const into = { cwd, env: environmentOf(other.admin) };
  const tenants = [
    tenantWithAll('acme'),
    { ...tenantWithAll('globex'), status: 'DISABLED', callback_endpoints: [], object_credentials: [] },
  ];
  await writeFiles(cwd, {
    'platform/all.json': { vendors: vendorsWith(4), tenants },
    ...accessKeys('secrets', tenants),
    ...accessKeys('secrets-2', tenants),
  });
  const created = await apply(from, ...inSecrets);
  expect(created).toMatchObject({ exitCode: 0 });
  expect(created.stderr).toContain(
    '! Tenant globex is DISABLED: its callback endpoints can be neither read nor changed.',
  );
  const exported = await topctl(['export', '--to', 'first', '--secrets-dir', 'secrets'], from);
  expect(exported).toMatchObject({ exitCode: 0 });
  expect(exported.stderr).toMatch(/Not read, .*: callback endpoints of demo, globex, platform, if there are any\.\n/);
  const first = await filesBelow(join(cwd, 'first'));
  expect(Object.keys(first).sort()).toEqual([
    ...['acme', 'demo', 'globex', 'platform'].map((tenant) => `tenants/${tenant}.yaml`),
    ...['acme_pumps', 'acme_valves', 'vendor_a', 'vendor_b'].map((vendor) => `vendors/${vendor}.yaml`),
  ]);
  expect(JSON.stringify(first)).not.toMatch(SECRET);
  expect(first['tenants/acme.yaml']?.text).toContain('object_resources:');

  const second = ['-f', 'first', '--secrets-dir', 'secrets-2', '--yes'];
  expect(await topctl(['apply', ...second], into)).toMatchObject({ exitCode: 0 });
  expect(toDoIn(await topctl(['apply', ...second], into))).toEqual([]);
  const again = () => topctl(['export', '--to', 'second', '--secrets-dir', 'secrets-2'], into);
  expect(await again()).toMatchObject({ exitCode: 0 });
  expect(await filesBelow(join(cwd, 'second'))).toEqual(first);
  expect(new Set(JSON.parse((await again()).stdout).map(({ outcome }: { outcome: string }) => outcome))).toEqual(
    new Set(['unchanged']),
  );
  await topctl(['tenants', 'update', 'acme', '--name', 'Renamed'], into);
  const unasked = await again();
  expect(unasked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Replace second/tenants/acme.yaml?') });
});

test('takes stdin, and the administrator of a tenant applies and exports its own tenant', async () => {
  const name = `t${crypto.randomUUID().slice(0, 8)}`;
  const world = { cwd: temporaryFolder(), env: environmentOf(platform().admin) };
  await writeFiles(world.cwd, {
    'platform/a.json': {
      tenants: [{ ...tenantWithAll(name), vendors: null, bus_principals: [], object_credentials: [] }],
    },
  });
  expect(await apply(world, ...inSecrets)).toMatchObject({ exitCode: 0 });
  const own = ['--profile-file', `secrets/${name}/${name}-admin.json`];
  const exported = await topctl([...own, 'export', '--to', 'own', '-o', 'json'], world);
  expect(exported).toMatchObject({ exitCode: 0 });
  expect(Object.keys(await filesBelow(join(world.cwd, 'own')))).toEqual([`tenants/${name}.json`]);
  const document = await readJson(join(world.cwd, 'own', `tenants/${name}.json`));
  document.tenants[0].callback_endpoints[0].timeout_seconds = 7;
  const changed = await topctl([...own, 'apply', '-f', '-', '--yes'], { ...world, stdin: JSON.stringify(document) });
  expect(toDoIn(changed)).toEqual([
    expect.objectContaining({ kind: 'callback endpoint', changes: [{ field: 'timeout_seconds', from: 15, to: 7 }] }),
  ]);
});

test('prints the JSON Schema that the package has', async () => {
  const { stdout } = await topctl(['apply', '--schema']);
  expect(stdout).toBe(await readFile(new URL('../../configuration.schema.json', import.meta.url), 'utf8'));
});
