import { join } from 'node:path';
import { startNode, temporaryFolder, unlimited } from '@tenant-open-platform/testing';
import { expect, test, vi } from 'vitest';
import { filesBelow } from '../../test/files-below.js';
import { apply, inSecrets, tenantWithAll, toDoIn, writeFiles } from '../../test/platform-files.js';
import { environmentOf, topctl } from '../../test/topctl.js';

vi.setConfig({ testTimeout: 300_000 });

const tenants = (...changed: Record<string, object>[]) =>
  ['acme', 'globex', 'hooli'].map((id, index) => ({
    ...tenantWithAll(id),
    vendors: null,
    bus_principals: [],
    object_credentials: [],
    ...changed[index],
  }));

const NAME = 'Orders / new';

/** Three tenants, of which acme has two endpoints with one name, and deletes a credential that the files name. */
async function hostileWorld() {
  const cwd = temporaryFolder();
  const { admin } = await startNode(unlimited);
  const world = { cwd, env: environmentOf(admin) };
  const write = (...changed: Record<string, object>[]) =>
    writeFiles(cwd, { 'platform/a.json': { tenants: tenants(...changed) } });
  await write();
  expect(await apply(world, ...inSecrets)).toMatchObject({
    exitCode: 0,
    stderr: expect.not.stringContaining('Left out'),
  });
  const acme = async (...argv: string[]) => {
    const done = await topctl(['--profile-file', 'secrets/acme/acme-admin.json', ...argv], world);
    expect(done).toMatchObject({ exitCode: 0 });
  };
  await acme(
    'callback-endpoints',
    'create',
    '--name',
    NAME,
    '--url',
    'https://hooks.acme.example',
    '--secret-file',
    's',
  );
  await acme('credentials', 'update', 'acme-backend', '--status', 'DELETED', '--yes');
  return { world, write, acme };
}

test('export leaves out, and names, what one tenant has given the same name; all else is written', async () => {
  const { world } = await hostileWorld();
  const exported = await topctl(['export', '--to', 'exported', '--secrets-dir', 'secrets'], world);
  expect(exported.exitCode).toBe(9);
  expect(exported.stderr.split('\n').filter((line) => line.startsWith('Left out'))).toEqual([
    `Left out callback endpoints of tenant acme: several have the name ${NAME}. Rename all but one.`,
  ]);
  const files = await filesBelow(join(world.cwd, 'exported'));
  const endpointsIn = (id: string) => files[`tenants/${id}.yaml`]?.text.match(/callback_endpoints/g)?.length ?? 0;
  expect(['acme', 'globex', 'hooli'].map(endpointsIn)).toEqual([0, 1, 1]);
  expect(files['tenants/acme.yaml']?.text).toContain('client_id: acme-admin');
});

test('apply leaves out, and names, what one tenant has deleted or named twice; everything else is done', async () => {
  const { world, write } = await hostileWorld();
  const name = (id: string) => ({ name: `${id} renamed` as unknown as object });
  await write(name('acme'), name('globex'));
  const applied = await apply(world, ...inSecrets);
  expect(applied.exitCode).toBe(9);
  expect(applied.stderr.split('\n').filter((line) => line.startsWith('Left out'))).toEqual([
    expect.stringMatching(
      /^Left out callback endpoint acme\/Orders \/ new \(platform\/a\.json:\d+\): the platform has several/,
    ),
    expect.stringMatching(
      /^Left out credential acme\/acme-backend \(platform\/a\.json:\d+\): it is DELETED, which is final\./,
    ),
  ]);
  expect(toDoIn(applied).map((step) => [step.name, step.done])).toEqual([
    ['acme', true],
    ['globex', true],
  ]);
});

test('a name that another tenant has taken leaves out the rest of its tenant only', async () => {
  const { world, write, acme } = await hostileWorld();
  await acme('credentials', 'create', '--client-id', 'GLOBEX-new', '--name', 'Squatter', '--secret-file', 's2');
  const [, globex, hooli] = tenants() as unknown as Record<string, object[]>[];
  const more = (given: Record<string, object[]> | undefined, id: string) => ({
    credentials: [...(given?.credentials ?? []), { client_id: `${id}-new`, name: 'New' }],
    role_bindings: [...(given?.role_bindings ?? []), { client_id: `${id}-new`, role: 'integration_reader' }],
  });
  await write({ credentials: [] }, more(globex, 'globex'), more(hooli, 'hooli'));
  const applied = await apply(world, ...inSecrets);
  expect(applied.exitCode).toBe(9);
  expect(applied.stderr).toContain('(CREDENTIAL_ALREADY_EXISTS)');
  expect(applied.stderr).toMatch(
    /Left out credential globex\/globex-new \(platform\/a\.json:\d+\), and what follows of tenant globex\./,
  );
  expect(toDoIn(applied).map((step) => [step.name, step.done])).toEqual([
    ['globex/globex-new', false],
    ['globex/globex-new/integration_reader', false],
    ['hooli/hooli-new', true],
    ['hooli/hooli-new/integration_reader', true],
  ]);
  expect(Object.keys(await filesBelow(join(world.cwd, 'secrets/globex')))).not.toContain('globex-new.json');
});
