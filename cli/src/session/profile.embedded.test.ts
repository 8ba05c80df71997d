import { EventEmitter } from 'node:events';
import fs, { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { platform, temporaryFolder } from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';
import { filesBelow } from '../../test/files-below.js';
import { environmentOf, topctl, unusedSecret } from '../../test/topctl.js';

const other = { base_url: 'http://127.0.0.1:1', tenant_id: 'demo', client_id: 'nobody', secret: unusedSecret };

async function directoryWith(files: Record<string, unknown>): Promise<string> {
  const directory = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(directory, name, '..'), { recursive: true });
    await writeFile(join(directory, name), JSON.stringify(content), { mode: 0o600 });
  }
  return directory;
}

const whoami = ['whoami', '-o', 'id'];

describe('the source of the credential', () => {
  const { demo, admin } = platform();

  test('--profile-file takes precedence over the environment', async () => {
    const cwd = await directoryWith({ 'demo.json': demo });
    const outcome = await topctl(['--profile-file', 'demo.json', ...whoami], { cwd, env: environmentOf(other) });
    expect(outcome).toEqual({ exitCode: 0, stdout: `${demo.client_id}\n`, stderr: '' });
  });

  test('the environment takes precedence over saved profiles', async () => {
    const cwd = await directoryWith({ 'config/topctl/profiles.json': { profiles: { default: other } } });
    const outcome = await topctl(whoami, { cwd, env: environmentOf(admin) });
    expect(outcome).toEqual({ exitCode: 0, stdout: `${admin.client_id}\n`, stderr: '' });
  });

  test('TOP_PROFILE_FILE takes precedence over the profile default', async () => {
    const cwd = await directoryWith({
      'demo.json': demo,
      'config/topctl/profiles.json': { profiles: { default: other } },
    });
    const outcome = await topctl(whoami, { cwd, env: { TOP_PROFILE_FILE: 'demo.json' } });
    expect(outcome).toEqual({ exitCode: 0, stdout: `${demo.client_id}\n`, stderr: '' });
  });

  test('--profile, TOP_PROFILE and the profile default are read from the file that login writes', async () => {
    const profiles = { default: demo, admin, other };
    const cwd = await directoryWith({ 'config/topctl/profiles.json': { profiles } });
    const runs = [
      await topctl(whoami, { cwd }),
      await topctl(['--profile', 'admin', ...whoami], { cwd, env: { TOP_PROFILE: 'other' } }),
      await topctl(whoami, { cwd, env: { TOP_PROFILE: 'admin' } }),
    ];
    expect(runs.map((run) => run.stdout)).toEqual([demo, admin, admin].map(({ client_id }) => `${client_id}\n`));
  });

  test('--base-url takes precedence over the base_url of the profile', async () => {
    const cwd = await directoryWith({ 'demo.json': { ...demo, base_url: other.base_url } });
    const argv = ['--profile-file', 'demo.json', '--base-url', demo.base_url, ...whoami];
    expect(await topctl(argv, { cwd })).toEqual({ exitCode: 0, stdout: `${demo.client_id}\n`, stderr: '' });
  });

  test('TOP_BASE_URL replaces the base_url of a saved profile, but not of --profile-file', async () => {
    const cwd = await directoryWith({ 'demo.json': demo });
    const env = { TOP_BASE_URL: other.base_url };
    const flag = await topctl(['--profile-file', 'demo.json', ...whoami], { cwd, env });
    const saved = await topctl(whoami, { cwd, env: { ...env, TOP_PROFILE_FILE: 'demo.json' } });
    expect([flag.exitCode, saved.exitCode]).toEqual([0, 1]);
  });

  test('if the profile has no tenant, the platform is asked for it', async () => {
    const { stdout } = await topctl(['tenants', 'get', '-o', 'id'], { env: environmentOf(admin) });
    expect(stdout).toBe('platform\n');
  });
});

describe('an unusable profile is refused with the missing fields', () => {
  test('without a profile the error lists every way to provide one', async () => {
    const { exitCode, stderr } = await topctl(whoami);
    expect(exitCode).toBe(2);
    for (const way of [
      '--profile-file',
      'TOP_PROFILE_FILE',
      'topctl login',
      'TOP_BASE_URL, TOP_CLIENT_ID, TOP_SECRET',
    ]) {
      expect(stderr).toContain(way);
    }
  });

  test('a secret from the environment is never combined with a client_id from elsewhere', async () => {
    const cwd = await directoryWith({ 'config/topctl/profiles.json': { profiles: { default: other } } });
    const { exitCode, stderr } = await topctl(whoami, { cwd, env: { TOP_SECRET: 'osk_x' } });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('also set TOP_CLIENT_ID and TOP_BASE_URL (or --base-url)');
  });

  test.each([
    ['missing.json', 'there is no profile file missing.json'],
    ['partial.json', 'partial.json lacks client_id, secret'],
    ['broken.json', 'broken.json is not JSON'],
    ['url.json', 'the base URL must begin with https://'],
  ])('%s: %s', async (file, message) => {
    const cwd = await directoryWith({
      'partial.json': { base_url: 'http://x', client_id: '' },
      'url.json': { ...other, base_url: 'ftp://x' },
    });
    await writeFile(join(cwd, 'broken.json'), `{"secret": "${unusedSecret}"`, { mode: 0o600 });
    const { exitCode, stderr } = await topctl(['--profile-file', file, ...whoami], { cwd });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain(unusedSecret);
  });

  test('an unknown --profile is refused with the existing names', async () => {
    const cwd = await directoryWith({ 'config/topctl/profiles.json': { profiles: { staging: other } } });
    const { exitCode, stderr } = await topctl(['--profile', 'toString', ...whoami], { cwd });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('there is no profile toString (saved: staging)');
  });

  test('a profile file that others can read still works, with a warning on stderr', async () => {
    const { demo } = platform();
    const cwd = await directoryWith({ 'demo.json': demo });
    await chmod(join(cwd, 'demo.json'), 0o644);
    const { exitCode, stdout, stderr } = await topctl(['--profile-file', 'demo.json', ...whoami], { cwd });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `${demo.client_id}\n` });
    expect(stderr).toContain('warning: others can read the secret in');
  });
});

describe('login', () => {
  const { demo, admin } = platform();
  const argv = ['login', '--base-url', demo.base_url, '--client-id', demo.client_id];

  test('saves a profile after a signed call has proved it, readable only by the user, and keeps the other profiles', async () => {
    const cwd = await directoryWith({ 'config/topctl/profiles.json': { profiles: { admin } } });
    const { exitCode, stdout, stderr } = await topctl(argv, { cwd, stdin: `${demo.secret}\n` });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
    expect(stderr).toContain(`Logged in as ${demo.client_id} of tenant ${demo.tenant_id}. Saved as profile default`);
    expect(await filesBelow(cwd)).toEqual({
      'config/topctl/profiles.json': {
        mode: '600',
        text: `${JSON.stringify({ profiles: { admin, default: profileOf(demo) } }, null, 2)}\n`,
      },
    });
    expect((await topctl(whoami, { cwd })).stdout).toBe(`${demo.client_id}\n`);
  });

  test('makes the file private again, and keeps a link to it', async () => {
    const cwd = await directoryWith({ 'dotfiles/profiles.json': { profiles: { admin } } });
    await chmod(join(cwd, 'dotfiles/profiles.json'), 0o644);
    await mkdir(join(cwd, 'config/topctl'), { recursive: true });
    await symlink(join(cwd, 'dotfiles/profiles.json'), join(cwd, 'config/topctl/profiles.json'));
    expect((await topctl(argv, { cwd, stdin: demo.secret })).exitCode).toBe(0);
    expect(await filesBelow(cwd)).toEqual({
      'dotfiles/profiles.json': { mode: '600', text: expect.stringContaining(demo.secret) },
    });
    expect((await topctl(whoami, { cwd })).stdout).toBe(`${demo.client_id}\n`);
  });

  test('asks on a terminal, without showing the secret', async () => {
    const cwd = temporaryFolder();
    const typed = [`${demo.base_url}\r`, `${demo.client_id}\r`, `${demo.secret}\r`];
    const { exitCode, stderr } = await topctl(['login', '--profile', 'demo'], { cwd, typed });
    expect(exitCode).toBe(0);
    expect(stderr).not.toContain(demo.secret);
    const saved = JSON.parse(await readFile(join(cwd, 'config/topctl/profiles.json'), 'utf8'));
    expect(saved).toEqual({ profiles: { demo: profileOf(demo) } });
  });

  test('saves the profile of a file under a name', async () => {
    const cwd = await directoryWith({ 'admin.json': admin });
    const saved = await topctl(['login', '--profile-file', 'admin.json', '--profile', 'admin'], { cwd });
    expect(saved).toMatchObject({ exitCode: 0, stdout: '' });
    expect((await topctl(['--profile', 'admin', ...whoami], { cwd })).stdout).toBe(`${admin.client_id}\n`);
  });

  test('ten logins at once are all saved, and leave no lock', async () => {
    const cwd = temporaryFolder();
    const names = Array.from({ length: 10 }, (_, index) => `p${index}`);
    const runs = await Promise.all(
      names.map((name) => topctl([...argv, '--profile', name], { cwd, stdin: demo.secret })),
    );
    expect(runs.map(({ exitCode }) => exitCode)).toEqual(names.map(() => 0));
    const files = await filesBelow(cwd);
    expect(Object.keys(files)).toEqual(['config/topctl/profiles.json']);
    const { profiles } = JSON.parse(files['config/topctl/profiles.json']?.text ?? '');
    expect(Object.keys(profiles).sort()).toEqual([...names].sort());
  });

  test('a lock that a killed topctl left behind is named', { timeout: 60_000 }, async () => {
    const cwd = await directoryWith({ 'config/topctl/profiles.json.lock': '' });
    const { exitCode, stderr } = await topctl(argv, { cwd, stdin: demo.secret });
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('profiles.json.lock') });
  });

  test('Ctrl-C ends the wait for a lock that another process holds, which stays', async () => {
    const cwd = await directoryWith({ 'config/topctl/profiles.json.lock': '' });
    const signals = new EventEmitter();
    const interrupted: typeof fs = {
      ...fs,
      open(...[path, ...options]: Parameters<typeof fs.open>) {
        if (String(path).endsWith('.lock')) signals.emit('SIGINT');
        return fs.open(path, ...options);
      },
    };
    const outcome = await topctl(argv, { cwd, stdin: demo.secret, signals, fs: interrupted });
    expect(outcome).toEqual({ exitCode: 130, stdout: '', stderr: 'cancelled\n' });
    expect(Object.keys(await filesBelow(cwd))).toEqual(['config/topctl/profiles.json.lock']);
  });

  test('ends where no folder can be made, and names it', async () => {
    const env = { HOME: '/proc', XDG_CONFIG_HOME: '' };
    const { exitCode, stderr } = await topctl(argv, { env, stdin: demo.secret });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('error: cannot create the folder /proc/.config: ENOENT');
  });

  test('saves nothing if the secret is wrong', async () => {
    const cwd = temporaryFolder();
    const { exitCode } = await topctl(argv, { cwd, stdin: admin.secret });
    expect({ exitCode, files: await filesBelow(cwd) }).toEqual({ exitCode: 4, files: {} });
  });

  test('names what is missing, including the secret', async () => {
    const flags = await topctl(['login'], { stdin: demo.secret });
    const secret = await topctl(argv, { stdin: '' });
    expect([flags.exitCode, secret.exitCode]).toEqual([2, 2]);
    expect(flags.stderr).toContain('missing --base-url, --client-id');
    expect(secret.stderr).toContain('give the secret on stdin');
  });
});

function profileOf({ base_url, client_id, secret, tenant_id }: typeof other): typeof other {
  return { base_url, client_id, secret, tenant_id };
}
