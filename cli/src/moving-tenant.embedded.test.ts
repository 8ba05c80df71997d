import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createUser } from '@nats-io/nkeys';
import { startNode, temporaryFolder, unlimited } from '@tenant-open-platform/testing';
import { expect, test, vi } from 'vitest';
import { filesBelow } from '../test/files-below.js';
import { apply, inSecrets, tenantWithAll, toDoIn, writeFiles } from '../test/platform-files.js';
import { environmentOf, topctl } from '../test/topctl.js';

vi.setConfig({ testTimeout: 300_000 });

const main = fileURLToPath(new URL('../../server/dist/main.js', import.meta.url));

const tenants = ['acme', 'globex'].map((tenant_id) => {
  const key = createUser().getPublicKey();
  const [principal] = tenantWithAll(tenant_id).bus_principals as object[];
  return {
    ...{ ...tenantWithAll(tenant_id), tenant_id, vendors: null, object_credentials: [] },
    bus_principals: [{ ...principal, bus_user_public_key: key, vendors: null }],
  };
});
const keyIn = ({ bus_principals: [principal] }: (typeof tenants)[number]) => principal?.bus_user_public_key ?? '';

/** The command of --switch fails, so the tenant stays closed in both cells, with all its rows. */
async function closedTenant() {
  const [a, b] = await Promise.all([startNode(unlimited), startNode(unlimited)]);
  const cwd = temporaryFolder();
  const from = { cwd, env: environmentOf(a.admin) };
  await writeFiles(cwd, { 'platform/a.json': { tenants } });
  expect(await apply(from, ...inSecrets)).toMatchObject({ exitCode: 0 });
  const { PATH, HOME, TMPDIR } = process.env;
  const env = { PATH, HOME, TMPDIR, DATA_DIR: a.folder, TO_DATA_DIR: b.folder };
  const args = [main, 'move-tenant', 'acme', '--to-url', b.baseUrl, '--switch', 'exit 3'];
  const said = await new Promise<string>((resolve) =>
    execFile(process.execPath, args, { env }, (_error, _stdout, stderr) => resolve(stderr)),
  );
  expect(said).toContain('ended with exit code 3');
  return { cwd, from, into: { cwd, env: environmentOf(b.admin) } };
}

const leftOutOf = ({ stderr }: { stderr: string }) => stderr.split('\n').filter((line) => line.startsWith('Left out'));

test('a tenant that moves fails no command over all tenants: its adapters keep their accounts, export and apply leave it out and name it', async () => {
  const { cwd, from, into } = await closedTenant();
  const platformKey = createUser().getPublicKey();
  for (const [world, shown] of [
    [from, tenants],
    [into, tenants.slice(0, 1)],
  ] as const) {
    const rendered = await topctl(['bus', 'render-config', '--platform-user-public-key', platformKey], world);
    expect(rendered).toMatchObject({ exitCode: 0, stderr: '' });
    for (const tenant of shown) expect(rendered.stdout).toContain(keyIn(tenant));
  }

  const moves = 'tenant acme: it is moving to another platform, or from one. Run the command again when it has moved.';
  for (const [world, folder, names] of [
    [from, 'exported-a', ['tenants/globex.yaml']],
    [into, 'exported-b', ['tenants/demo.yaml']],
  ] as const) {
    const exported = await topctl(['export', '--to', folder, '--secrets-dir', 'secrets'], world);
    expect([exported.exitCode, leftOutOf(exported)]).toEqual([9, [`Left out ${moves}`]]);
    const files = Object.keys(await filesBelow(join(cwd, folder)));
    expect(files).toEqual(expect.arrayContaining([...names]));
    expect(files).not.toContain('tenants/acme.yaml');
  }
  const alone = await topctl(['export', '--to', 'alone', '--tenant', 'acme'], from);
  expect([alone.exitCode, leftOutOf(alone)]).toEqual([9, [`Left out ${moves}`]]);

  const renamed = tenants.map((tenant) => ({ ...tenant, name: `${tenant.tenant_id} second` }));
  await writeFiles(cwd, { 'platform/a.json': { tenants: renamed } });
  const applied = await apply(from, ...inSecrets);
  expect([applied.exitCode, leftOutOf(applied)]).toEqual([
    9,
    [expect.stringMatching(/^Left out tenant acme \(platform\/a\.json:\d+\): it is moving to another platform/)],
  ]);
  expect(toDoIn(applied).map((step) => [step.name, step.done])).toEqual([['globex', true]]);
  // What no file names is disabled, but not while it moves.
  await writeFiles(cwd, { 'platform/a.json': { tenants: renamed.slice(1) } });
  const pruned = await apply(from, ...inSecrets, '--prune-all');
  expect(pruned.stdout).not.toContain('acme');
});
