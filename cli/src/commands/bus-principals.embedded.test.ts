import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createAccount, createUser } from '@nats-io/nkeys';
import { createTenant, platform, temporaryFolder } from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';
import { filesBelow } from '../../test/files-below.js';
import { environmentOf, topctl, unusedSecret } from '../../test/topctl.js';

const create = (flags: Record<string, string | undefined> = {}) => [
  ...['bus-principals', 'create'],
  ...Object.entries({
    '--bus-user': 'acme-adapter',
    '--bus-account-public-key': createAccount().getPublicKey(),
    '--bus-user-public-key': createUser().getPublicKey(),
    '--principal-type': 'SERVICE',
    ...flags,
  }).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value])),
];

describe('a private seed', () => {
  const seed = Buffer.from(createUser().getSeed()).toString();

  test.each([
    ['--bus-user-public-key', seed],
    ['--bus-user-public-key', seed.slice(0, 40)],
    ['--bus-user-public-key', ` ${seed.toLowerCase()}`],
    ['--bus-account-public-key', seed],
    ['--bus-user', seed],
    ['--service-name', `"${seed}"`],
    ['--client-id', seed],
    ['--expires-at', seed],
    ['--principal-type', seed],
    ['--status', seed],
  ])('given to %s is neither sent nor printed', async (flag, given) => {
    const env = { TOP_BASE_URL: 'http://127.0.0.1:1', TOP_CLIENT_ID: 'nobody', TOP_SECRET: unusedSecret };
    const sent: unknown[] = [];
    const fetch = (...request: unknown[]) => Promise.reject(new Error(`sent ${sent.push(request)}`));
    const { exitCode, stdout, stderr } = await topctl(create({ [flag]: given }), { env, fetch });
    expect({ exitCode, stdout, sent }).toEqual({ exitCode: 2, stdout: '', sent: [] });
    expect(stderr).toContain(flag);
    expect(stderr.toLowerCase()).not.toContain(given.trim().toLowerCase());
  });
});

test('bus keygen writes three files that only their owner reads, never over an existing one, and its keys can be registered', async () => {
  const directory = temporaryFolder();
  const { admin } = await createTenant();
  const world = { cwd: directory, env: environmentOf(admin) };
  const made = await topctl(['bus', 'keygen', 'pumps'], world);
  const files = await filesBelow(directory);
  expect(Object.values(files).map(({ mode }) => mode)).toEqual(['600', '600', '600']);
  const text = (path: string) => files[path]?.text.trim() ?? '';
  expect(JSON.parse(made.stdout)).toEqual({
    seed_file: 'pumps.nk',
    bus_user_public_key: text('pumps.pub'),
    bus_account_public_key: text('pumps-account.pub'),
  });
  expect(made.stdout + made.stderr).not.toContain(text('pumps.nk'));
  const keys = { '--bus-user-public-key': text('pumps.pub'), '--bus-account-public-key': text('pumps-account.pub') };
  expect((await topctl(create(keys), world)).exitCode).toBe(0);

  await rm(join(directory, 'pumps.nk'));
  const again = await topctl(['bus', 'keygen', 'pumps'], world);
  expect(again).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('pumps.pub exists') });
  const { 'pumps.nk': removed, ...others } = files;
  expect(await filesBelow(directory)).toEqual(others);
});

test('a principal is registered, read, listed, disabled and deleted forever', async () => {
  const { admin, reader, tenant_id } = await createTenant();
  const world = { env: environmentOf(admin) };
  const key = createUser().getPublicKey();
  const argv = create({
    '--bus-user-public-key': key,
    '--client-id': reader.client_id,
    '--service-name': 'adapter',
    '--expires-at': '2099-01-01T00:00:00Z',
  });
  const made = await topctl(argv, world);
  const principal = JSON.parse(made.stdout) as { principal_id: string };
  const given = { bus_user_public_key: key, client_id: reader.client_id, service_name: 'adapter', status: 'ACTIVE' };
  expect(principal).toMatchObject({ ...given, expires_at: '2099-01-01T00:00:00.000Z' });
  const id = principal.principal_id;
  const list = ['bus-principals', 'list', '--client-id', reader.client_id, '--status', 'ACTIVE', '-o', 'id'];
  expect((await topctl(list, world)).stdout).toBe(`${id}\n`);
  const taken = await topctl(create({ '--bus-user-public-key': key }), world);
  expect(taken).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('(BUS_PRINCIPAL_ALREADY_EXISTS)') });

  const update = ['bus-principals', 'update', id];
  const endless = await topctl([...update, '--expires-at', 'never'], world);
  expect(JSON.parse(endless.stdout)).toMatchObject({ expires_at: null, status: 'ACTIVE' });
  const disabled = await topctl([...update, '--status', 'DISABLED'], { ...world, typed: ['y'] });
  expect(disabled.stderr).toContain(`Disable the bus principal ${id} of tenant ${tenant_id}?`);
  const read = await topctl(['bus-principals', 'get', id], world);
  expect(JSON.parse(read.stdout)).toMatchObject({ status: 'DISABLED' });
  expect((await topctl(list, world)).stdout).toBe('');
  const kept = await topctl([...update, '--status', 'DELETED'], { ...world, typed: ['n'] });
  expect(kept).toMatchObject({ exitCode: 130, stdout: '' });
  expect((await topctl([...update, '--status', 'DELETED', '--yes'], world)).exitCode).toBe(0);
  const tooLate = await topctl([...update, '--status', 'ACTIVE'], world);
  expect(tooLate).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('(BUS_PRINCIPAL_DELETED)') });
});

test('a user key is reserved after a prompt that names the user and the tenant', async () => {
  const { admin, tenant_id } = await createTenant();
  const world = { env: environmentOf(admin) };
  const reserved = await topctl(create({ '--status': 'DELETED' }), { ...world, typed: ['y'] });
  expect(reserved.stderr).toContain(`Make the user key of acme-adapter of tenant ${tenant_id} unusable forever?`);
  expect(JSON.parse(reserved.stdout)).toMatchObject({ status: 'DELETED' });
});

test('a flag with choices offers them at the prompt', async () => {
  const { admin } = await createTenant();
  const argv = create({ '--bus-user': undefined, '--principal-type': undefined });
  const made = await topctl(argv, { env: environmentOf(admin), typed: ['acme-dashboard\r', '\u001b[B\r'] });
  expect(JSON.parse(made.stdout)).toMatchObject({ bus_user: 'acme-dashboard', principal_type: 'CLIENT' });
});

test('render-config leaves out, and names, a principal with the key of the platform; it has all others', async () => {
  const [squatter, neighbour] = [await createTenant(), await createTenant()];
  const [ofPlatform, ofNeighbour] = [createUser().getPublicKey(), createUser().getPublicKey()];
  for (const [{ admin }, key] of [
    [squatter, ofPlatform],
    [neighbour, ofNeighbour],
  ] as const) {
    const argv = create({ '--bus-user-public-key': key, '--bus-user': '"}]#' });
    expect((await topctl(argv, { env: environmentOf(admin) })).exitCode).toBe(0);
  }
  const render = ['bus', 'render-config', '--platform-user-public-key', ofPlatform];
  const { exitCode, stdout, stderr } = await topctl(render, { env: environmentOf(platform().admin) });
  expect(exitCode).toBe(9);
  expect(stderr).toBe(
    `Left out "}]# of tenant ${squatter.tenant_id}: its key ${ofPlatform} belongs to the platform. Register another key for it.\n`,
  );
  expect([stdout.split(ofPlatform).length, stdout.split(`{ nkey: ${ofNeighbour},`).length]).toEqual([2, 2]);
});
