import fs, { type FileHandle, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTenant, temporaryFolder } from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';
import { filesBelow } from '../../test/files-below.js';
import { environmentOf, topctl } from '../../test/topctl.js';

const SECRET = /osk_[0-9A-Za-z]{49}/g;

async function fresh() {
  const { admin, reader, tenant_id } = await createTenant();
  return { admin, reader, tenant_id, world: { cwd: temporaryFolder(), env: environmentOf(admin) } };
}

const create = (clientId: string, ...flags: string[]) => [
  ...['credentials', 'create', '--client-id', clientId, '--name', 'A name'],
  ...flags,
];

test('a new credential works once it has a role, with the secret that was shown once on stdout', async () => {
  const { world, tenant_id, admin } = await fresh();
  const clientId = `${tenant_id}-new`;
  const made = await topctl(create(clientId, '--expires-at', 'never', '--replay-window-seconds', '60'), world);
  expect(made.stderr.match(SECRET)).toBeNull();
  expect(made.stderr).toContain('shown only once');
  const { secret, ...credential } = JSON.parse(made.stdout) as Record<string, string>;
  expect(credential).toMatchObject({ client_id: clientId, expires_at: null, replay_window_seconds: 60 });
  const bound = await topctl(
    ['role-bindings', 'create', '--client-id', clientId, '--role', 'integration_reader', '-o', 'id'],
    world,
  );
  expect(bound).toEqual({ exitCode: 0, stdout: `${clientId} integration_reader\n`, stderr: '' });
  const env = environmentOf({ ...admin, client_id: clientId, secret: secret ?? '' });
  expect((await topctl(['commands', 'list'], { env })).exitCode).toBe(0);
  const again = await topctl(['credentials', 'get', clientId], world);
  expect(again.stdout.match(SECRET)).toBeNull();
});

test('a lost answer does not lose the secret: the message has the key that repeats the call', async () => {
  const { world, tenant_id } = await fresh();
  const losing: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (init?.method === 'GET') return response;
    throw new TypeError('fetch failed');
  };
  const lost = await topctl(create(`${tenant_id}-new`), { ...world, fetch: losing });
  expect(lost).toMatchObject({ exitCode: 1, stdout: '' });
  expect(lost.stderr).toContain('--idempotency-key');
  const [, key = ''] = /--idempotency-key (\S+)/.exec(lost.stderr) ?? [];
  const again = await topctl(create(`${tenant_id}-new`, '--idempotency-key', key), world);
  expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(SECRET) });
  const other = await topctl(create(`${tenant_id}-other`, '--idempotency-key', key), world);
  expect(other).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining('IDEMPOTENCY_KEY_REUSED') });
  const failed = await topctl(create('c', '--idempotency-key', key), { ...world, fetch: losing });
  expect(failed.stderr).toContain(`--idempotency-key ${key}\n`);
});

describe('--secret-file', () => {
  test('holds a working profile, readable only by the user, and the secret is not printed', async () => {
    const { world, tenant_id } = await fresh();
    const made = await topctl(create(`${tenant_id}-new`, '--secret-file', 'new.json', '-o', 'id'), world);
    expect(made).toMatchObject({ exitCode: 0, stdout: `${tenant_id}-new\n` });
    expect(made.stderr.match(SECRET)).toBeNull();
    expect(await filesBelow(world.cwd)).toEqual({ 'new.json': { mode: '600', text: expect.stringMatching(SECRET) } });
    const whoami = await topctl(['--profile-file', 'new.json', 'whoami', '-o', 'id'], { cwd: world.cwd });
    expect(whoami).toEqual({ exitCode: 0, stdout: `${tenant_id}-new\n`, stderr: '' });
  });

  test('is never overwritten, and then nothing is created', async () => {
    const { world, tenant_id } = await fresh();
    await writeFile(join(world.cwd, 'mine.txt'), 'precious');
    const made = await topctl(create(`${tenant_id}-new`, '--secret-file', 'mine.txt'), world);
    expect(made).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await readFile(join(world.cwd, 'mine.txt'), 'utf8')).toBe('precious');
    expect((await topctl(['credentials', 'get', `${tenant_id}-new`], world)).exitCode).toBe(3);
  });

  test('that can no longer be written does not lose the secret: it is on stdout instead', async () => {
    const { world, reader } = await fresh();
    const fullDisk: typeof fs = {
      ...fs,
      async open(...path: Parameters<typeof fs.open>): Promise<FileHandle> {
        const file = await fs.open(...path);
        return Object.assign(file, { writeFile: () => Promise.reject(new Error('no space left on device')) });
      },
    };
    const argv = ['credentials', 'rotate', reader.client_id, '--yes', '--secret-file', 'new.json', '-o', 'id'];
    const rotated = await topctl(argv, { ...world, fs: fullDisk });
    expect(rotated.exitCode).toBe(1);
    expect(rotated.stderr).toContain('new.json cannot be written (no space left on device)');
    expect(rotated.stdout).toMatch(SECRET);
    expect(await filesBelow(world.cwd)).toEqual({});
  });

  test('is not left behind if the platform refuses', async () => {
    const { world, admin } = await fresh();
    const made = await topctl(create(admin.client_id, '--secret-file', 'new.json'), world);
    expect(made).toMatchObject({ exitCode: 6, stdout: '' });
    expect(made.stderr).toContain('(CREDENTIAL_ALREADY_EXISTS)');
    expect(await filesBelow(world.cwd)).toEqual({});
  });
});

describe('rotate', () => {
  test('names credential and tenant before it asks, and changes nothing on no', async () => {
    const { world, reader, tenant_id } = await fresh();
    const refused = await topctl(['credentials', 'rotate', reader.client_id], { ...world, typed: ['n'] });
    expect(refused).toMatchObject({ exitCode: 130, stdout: '' });
    expect(refused.stderr).toContain(`Rotate the secret of ${reader.client_id} of tenant ${tenant_id}?`);
    expect((await topctl(['whoami'], { env: environmentOf(reader) })).exitCode).toBe(0);
  });

  test('prints the new secret after yes, and the old one is refused', async () => {
    const { world, reader } = await fresh();
    const rotated = await topctl(['credentials', 'rotate', reader.client_id], { ...world, typed: ['y'] });
    expect(rotated.exitCode).toBe(0);
    const { secret, secret_version } = JSON.parse(rotated.stdout) as { secret: string; secret_version: number };
    expect(secret_version).toBe(2);
    const [old, renewed] = [reader, { ...reader, secret }].map((profile) =>
      topctl(['whoami'], { env: environmentOf(profile) }),
    );
    expect([(await old)?.exitCode, (await renewed)?.exitCode]).toEqual([4, 0]);
  });

  test('keeps the old secret for the requested time', async () => {
    const { world, reader } = await fresh();
    const argv = ['credentials', 'rotate', reader.client_id, '--previous-secret-ttl-seconds', '60', '--yes'];
    expect((await topctl(argv, world)).exitCode).toBe(0);
    expect((await topctl(['whoami'], { env: environmentOf(reader) })).exitCode).toBe(0);
    const end = ['credentials', 'update', reader.client_id, '--previous-secret-ttl-seconds', '0'];
    expect((await topctl(end, world)).exitCode).toBe(0);
    expect((await topctl(['whoami'], { env: environmentOf(reader) })).exitCode).toBe(4);
  });
});

test('update disables with --yes alone, and Ctrl-C at the prompt cancels', async () => {
  const { world, reader } = await fresh();
  const disable = ['credentials', 'update', reader.client_id, '--status', 'DISABLED'];
  expect(await topctl(disable, { ...world, typed: ['\u0003'] })).toMatchObject({ exitCode: 130, stdout: '' });
  expect((await topctl(['whoami'], { env: environmentOf(reader) })).exitCode).toBe(0);
  const disabled = await topctl([...disable, '--yes'], world);
  expect(JSON.parse(disabled.stdout)).toMatchObject({ client_id: reader.client_id, status: 'DISABLED' });
  expect((await topctl(['whoami'], { env: environmentOf(reader) })).exitCode).toBe(4);
});

test('list shows every credential of the tenant and no secret', async () => {
  const { world, admin, reader } = await fresh();
  const { stdout } = await topctl(['credentials', 'list', '--all', '-o', 'ndjson'], world);
  const ids = stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { client_id: string }).client_id);
  expect(ids).toEqual(expect.arrayContaining([admin.client_id, reader.client_id]));
  expect(stdout.match(SECRET)).toBeNull();
});
