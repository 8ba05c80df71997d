import { platform, temporaryFolder } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { filesBelow } from '../../test/files-below.js';
import { topctl } from '../../test/topctl.js';

const { demo, admin } = platform();

/** A directory where two logins saved a profile each. */
async function loggedIn() {
  const cwd = temporaryFolder();
  for (const [profile, name] of [
    [demo, undefined],
    [admin, 'admin'],
  ] as const) {
    const argv = ['login', '--base-url', profile.base_url, '--client-id', profile.client_id];
    await topctl(name ? [...argv, '--profile', name] : argv, { cwd, stdin: profile.secret });
  }
  return {
    cwd,
    run: (...argv: string[]) => topctl(argv, { cwd }),
    whoami: async () => (await topctl(['whoami', '-o', 'id'], { cwd })).stdout.trim(),
  };
}

test('list shows the profiles and which one is in use, without secrets', async () => {
  const { run } = await loggedIn();
  const { exitCode, stdout } = await run('profile', 'list');
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toEqual([
    { name: 'default', in_use: true, client_id: demo.client_id, tenant_id: demo.tenant_id, base_url: demo.base_url },
    { name: 'admin', in_use: false, client_id: admin.client_id, tenant_id: 'platform', base_url: admin.base_url },
  ]);
  expect(stdout).not.toContain(demo.secret);
});

test('use chooses the profile that needs no flag, until the next login without a name', async () => {
  const { cwd, run, whoami } = await loggedIn();
  expect(await whoami()).toBe(demo.client_id);
  expect(await run('profile', 'use', 'admin')).toMatchObject({ exitCode: 0 });
  expect(await whoami()).toBe(admin.client_id);
  await topctl(['login', '--base-url', demo.base_url, '--client-id', demo.client_id], { cwd, stdin: demo.secret });
  expect(await whoami()).toBe(demo.client_id);
});

test('logout removes the profile in use, remove any other; both ask first, because the secret is lost', async () => {
  const { cwd, run, whoami } = await loggedIn();
  expect(await run('logout')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--yes confirms: Remove') });
  expect(await whoami()).toBe(demo.client_id);
  expect(await run('logout', '--yes')).toMatchObject({ exitCode: 0 });
  expect(await run('profile', 'remove', 'admin', '--yes')).toMatchObject({ exitCode: 0 });
  expect(await filesBelow(cwd)).toEqual({
    'config/topctl/profiles.json': { mode: '600', text: `${JSON.stringify({ profiles: {} }, null, 2)}\n` },
  });
});

test('with TOP_PROFILE, list marks that profile, and logout removes it', async () => {
  const { cwd, run, whoami } = await loggedIn();
  const env = { TOP_PROFILE: 'admin' };
  const { stdout } = await topctl(['profile', 'list', '--fields', 'name,in_use'], { cwd, env });
  expect(JSON.parse(stdout)).toEqual([
    { name: 'default', in_use: false },
    { name: 'admin', in_use: true },
  ]);
  expect(await topctl(['logout', '--yes'], { cwd, env })).toMatchObject({ exitCode: 0 });
  expect(await run('profile', 'list', '-o', 'id')).toMatchObject({ stdout: 'default\n' });
  expect(await whoami()).toBe(demo.client_id);
});

test.each(['use', 'remove'])('%s of an unknown profile names the saved ones', async (verb) => {
  const { run } = await loggedIn();
  const { exitCode, stderr } = await run('profile', verb, 'nobody', '--yes');
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('saved: default, admin') });
});

test('--version prints only the own version on stdout, and on a terminal that of the platform on stderr', async () => {
  const { cwd, run } = await loggedIn();
  const own = { exitCode: 0, stdout: '0.0.0\n', stderr: '' };
  expect(await run('--version')).toEqual(own);
  const stderr = `platform 0.0.0 at ${demo.base_url}\n`;
  expect(await topctl(['--version'], { cwd, table: true })).toEqual({ ...own, stderr });
});
