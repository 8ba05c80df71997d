import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startNode, temporaryFolder, unlimited } from '@tenant-open-platform/testing';
import { expect, test, vi } from 'vitest';
import { accessKeys, readJson, tenantWithAll, toDoIn, vendorsWith, writeFiles } from '../../test/platform-files.js';
import { topctl } from '../../test/topctl.js';

vi.setConfig({ testTimeout: 300_000 });

test('one folder makes three platforms alike, each with its own profile and secrets; the second plan of each is empty', async () => {
  const cwd = temporaryFolder();
  const cells = ['eu-1', 'eu-2', 'us-1'];
  const nodes = await Promise.all(cells.map(() => startNode(unlimited)));
  // Every first start names its credentials `platform-admin` and `demo`: a profile has a name of its own.
  expect(new Set(nodes.map(({ admin }) => admin.client_id))).toEqual(new Set(['platform-admin']));
  for (const [index, cell] of cells.entries()) {
    await writeFile(join(cwd, 'admin.json'), JSON.stringify(nodes[index]?.admin), { mode: 0o600 });
    const login = await topctl(['login', '--profile-file', 'admin.json', '--profile', cell], { cwd });
    expect(login).toMatchObject({ exitCode: 0 });
  }
  const tenant = tenantWithAll('acme');
  await writeFiles(cwd, {
    'platform/catalog.json': { vendors: vendorsWith(2) },
    'platform/acme.json': { tenants: [tenant] },
    ...Object.assign({}, ...cells.map((cell) => accessKeys(`secrets/${cell}`, [tenant]))),
  });
  const apply = (cell: string, secrets = cell) =>
    topctl(['--profile', cell, 'apply', '-f', 'platform', '--secrets-dir', `secrets/${secrets}`, '--yes'], { cwd });

  const first = await apply('eu-1');
  // The folder of another cell has the secrets of credentials that are new here: nothing is done, and none is replaced.
  const theirs = join(cwd, 'secrets/eu-1/acme/acme-backend.json');
  const profile = await readJson(theirs);
  expect(await apply('eu-2', 'eu-1')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/acme-backend is new, but secrets\/eu-1\/acme\/acme-backend.json exists/),
  });
  expect(await readJson(theirs)).toEqual(profile);

  const made = [first, ...(await Promise.all(cells.slice(1).map((cell) => apply(cell))))];
  const steps = made.map((outcome) => toDoIn(outcome).map(({ action, kind, name }) => `${action} ${kind} ${name}`));
  expect(made.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
  expect(steps[0]?.length).toBeGreaterThan(10);
  expect(steps.slice(1)).toEqual([steps[0], steps[0]]);
  for (const cell of cells) {
    const again = await apply(cell);
    expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Nothing to do') });
    expect(toDoIn(again)).toEqual([]);
  }

  // The same credential in three cells: three secrets, and each profile leads to its own cell.
  const profiles = await Promise.all(
    cells.map((cell) => readJson(join(cwd, `secrets/${cell}/acme/acme-backend.json`))),
  );
  expect(profiles.map(({ base_url }) => base_url)).toEqual(nodes.map(({ baseUrl }) => baseUrl));
  expect(new Set(profiles.map(({ secret }) => secret)).size).toBe(3);
});
