import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { platform, temporaryFolder } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { filesBelow } from '../../test/files-below.js';
import { environmentOf, topctl, unusedSecret } from '../../test/topctl.js';

const { admin } = platform();
const SECRET = /osk_[0-9A-Za-z]{49}/;
const newTenant = () => `init-${randomUUID().slice(0, 8)}`;

test('creates tenant, credential, role and profile, and the first command succeeds', async () => {
  const [cwd, tenantId] = [temporaryFolder(), newTenant()];
  const argv = ['init', '--tenant-id', tenantId, '--device-id', 'ok-1', '--vendor', 'vendor_a'];
  const { exitCode, stdout, stderr } = await topctl([...argv, '--command-type', 'reboot'], {
    cwd,
    env: environmentOf(admin),
  });
  expect({ exitCode, made: JSON.parse(stdout) }).toEqual({
    exitCode: 0,
    made: { profile: tenantId, tenant_id: tenantId, client_id: `${tenantId}-app`, role: 'integration_operator' },
  });
  expect(stderr).toContain('First command: SUCCEEDED');
  expect(stdout + stderr).not.toContain('osk_');
  const list = await topctl(['--profile', tenantId, 'commands', 'list', '--fields', 'status'], { cwd });
  expect(JSON.parse(list.stdout)).toEqual([{ status: 'SUCCEEDED' }]);
});

test('on a terminal it asks for the tenant, and prints the first command to type', async () => {
  const [cwd, tenantId] = [temporaryFolder(), newTenant()];
  const { exitCode, stderr } = await topctl(['init'], { cwd, env: environmentOf(admin), typed: [`${tenantId}\r`] });
  expect(exitCode).toBe(0);
  // Other tests add vendors with long names, so the command may take two lines.
  expect(stderr.replaceAll(/ \\\n +/g, ' ')).toMatch(
    new RegExp(`Next: topctl --profile ${tenantId} commands create --vendor [\\w-]+ --device-id DEVICE`),
  );
});

test('keeps a tenant that exists, and refuses a credential that exists', async () => {
  const [cwd, tenantId] = [temporaryFolder(), newTenant()];
  const run = (...flags: string[]) =>
    topctl(['init', '--tenant-id', tenantId, ...flags], { cwd, env: environmentOf(admin) });
  await run();
  expect(await run('--client-id', `${tenantId}-second`)).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining(`Tenant ${tenantId} exists already.`),
  });
  expect(await run()).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('(CREDENTIAL_ALREADY_EXISTS)') });
});

test('--dry-run creates and saves nothing', async () => {
  const [cwd, tenantId] = [temporaryFolder(), newTenant()];
  const argv = ['init', '--tenant-id', tenantId, '--dry-run'];
  expect(await topctl(argv, { cwd, env: environmentOf(admin) })).toMatchObject({ exitCode: 0 });
  expect(await filesBelow(cwd)).toEqual({});
  expect((await topctl(['tenants', 'get', tenantId], { env: environmentOf(admin) })).exitCode).toBe(3);
});

/** Calls `arrived` for the answer to the request that creates the credential. */
const afterCredential = (arrived: (response: Response) => Response) =>
  (async (input: string, init?: RequestInit) => {
    const response = await fetch(input, init);
    return init?.method === 'POST' && String(input).endsWith('/credentials') ? arrived(response) : response;
  }) as typeof fetch;

test('a lost answer does not lose the secret: the message has the command that returns it, and the one after', async () => {
  const [cwd, tenantId] = [temporaryFolder(), newTenant()];
  await fs.writeFile(join(cwd, 'admin.json'), JSON.stringify(admin), { mode: 0o600 });
  const losing = afterCredential(() => {
    throw new TypeError('fetch failed');
  });
  const argv = ['init', '--profile-file', 'admin.json', '--tenant-id', tenantId];
  const lost = await topctl(argv, { cwd, fetch: losing });
  expect(lost).toMatchObject({ exitCode: 1, stdout: '' });
  const [, create = '', bind = ''] =
    /without a second effect: topctl (.+)\n {2}next: topctl (.+)\n/.exec(lost.stderr) ?? [];
  expect(create).toContain(`credentials create --tenant ${tenantId} --client-id ${tenantId}-app`);
  const again = await topctl(create.split(' '), { cwd });
  expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(SECRET) });
  expect(await topctl(bind.split(' '), { cwd })).toMatchObject({ exitCode: 0 });
  const env = environmentOf({ ...admin, client_id: `${tenantId}-app`, secret: JSON.parse(again.stdout).secret });
  expect(await topctl(['commands', 'list'], { env })).toMatchObject({ exitCode: 0, stdout: '[]\n' });
});

test('a lost answer of another call: the message has what repeats that call', async () => {
  const said = async (path: string) => {
    const [cwd, tenantId] = [temporaryFolder(), newTenant()];
    let attempts = 0;
    const losing: typeof fetch = async (input, init) => {
      if (init?.method !== 'POST' || !String(input).endsWith(path)) return fetch(input, init);
      if (++attempts === 1) throw new TypeError('fetch failed');
      return Response.json({ code: 'VALIDATION_FAILED', message: 'No.', request_id: 'r' }, { status: 400 });
    };
    const argv = ['init', '--tenant-id', tenantId, '--vendor', 'vendor_a', '--device-id', 'ok-1'];
    const { exitCode, stderr } = await topctl(argv, { cwd, env: environmentOf(admin), fetch: losing });
    const [, step = ''] = /without a second effect: (.+)/.exec(stderr) ?? [];
    return [exitCode, step.replaceAll(tenantId, 'T').replace(/(--idempotency-key) \S+/, '$1 K')];
  };
  expect(await said('/platform/tenants')).toEqual([1, 'run the same topctl init again']);
  const bind = 'topctl role-bindings create --role integration_operator --client-id T-app --tenant T';
  expect(await said('/role-bindings')).toEqual([1, `${bind} --idempotency-key K`]);
  const [exitCode, command] = await said('/downlink/commands');
  expect(exitCode).toBe(1);
  expect(command).toMatch(/^topctl --profile T commands create --vendor \S+ --device-id ok-1 .+ --idempotency-key K$/);
});

test('a profile that cannot be saved does not lose the secret: it is on stdout instead', async () => {
  const [cwd, tenantId] = [temporaryFolder(), newTenant()];
  const fullDisk: typeof fs = { ...fs, open: () => Promise.reject(new Error('no space left on device')) };
  const argv = ['init', '--tenant-id', tenantId, '-o', 'id'];
  const { exitCode, stdout, stderr } = await topctl(argv, { cwd, env: environmentOf(admin), fs: fullDisk });
  expect({ exitCode, profile: JSON.parse(stdout) }).toEqual({
    exitCode: 1,
    profile: {
      base_url: admin.base_url,
      tenant_id: tenantId,
      client_id: `${tenantId}-app`,
      secret: expect.stringMatching(SECRET),
    },
  });
  expect(stderr).toContain('no space left on device');
  expect(stderr).toContain(
    `; next: topctl role-bindings create --role integration_operator --client-id ${tenantId}-app`,
  );
  expect(stderr).not.toMatch(SECRET);
});

test('Ctrl-C keeps the new credential, and sends nothing after it', async () => {
  const [cwd, tenantId, signals] = [temporaryFolder(), newTenant(), new EventEmitter()];
  const sent: string[] = [];
  const interrupting = afterCredential((response) => {
    signals.emit('SIGINT');
    return response;
  });
  const recording: typeof fetch = (input, init) => {
    sent.push(`${init?.method} ${new URL(String(input)).pathname.split('/').at(-1)}`);
    return interrupting(input, init);
  };
  const argv = ['init', '--tenant-id', tenantId, '--device-id', 'ok-1'];
  const world = { cwd, signals, fetch: recording, env: environmentOf(admin) };
  const { exitCode, stdout, stderr } = await topctl(argv, world);
  const made = ['POST tenants', 'POST credentials'];
  expect({ exitCode, stdout, sent }).toEqual({ exitCode: 130, stdout: '', sent: made });
  expect(stderr).toContain('cancelled: the credential has no role yet\n  next: topctl role-bindings create');
  const whoami = await topctl(['--profile', tenantId, 'whoami', '-o', 'id'], { cwd });
  expect(whoami).toMatchObject({ exitCode: 0, stdout: `${tenantId}-app\n` });
});

test('another profile keeps its name: the new one has that of the credential, and if both are taken, nothing is sent', async () => {
  const [cwd, tenantId] = [temporaryFolder(), newTenant()];
  const path = join(cwd, 'config/topctl/profiles.json');
  const other = { base_url: 'http://127.0.0.1:1', client_id: 'nobody', secret: unusedSecret };
  await fs.mkdir(join(cwd, 'config/topctl'), { recursive: true });
  await fs.writeFile(path, JSON.stringify({ profiles: { [tenantId]: other } }), { mode: 0o600 });
  const argv = ['init', '--tenant-id', tenantId];
  const { stdout } = await topctl(argv, { cwd, env: environmentOf(admin) });
  expect(JSON.parse(stdout)).toMatchObject({ profile: `${tenantId}-app`, client_id: `${tenantId}-app` });
  const saved = await fs.readFile(path, 'utf8');
  expect(JSON.parse(saved).profiles).toMatchObject({ [tenantId]: other, [`${tenantId}-app`]: { tenant_id: tenantId } });
  const offline: typeof fetch = () => Promise.reject(new Error('sent'));
  expect(await topctl(argv, { cwd, env: environmentOf(admin), fetch: offline })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`the profiles ${tenantId} and ${tenantId}-app exist already`),
  });
  expect(await fs.readFile(path, 'utf8')).toBe(saved);
});
