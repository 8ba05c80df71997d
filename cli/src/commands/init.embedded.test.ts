import { randomUUID } from 'node:crypto';
import { platform } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { filesBelow, temporaryDirectory } from '../../test/temporary-directory.js';
import { environmentOf, topctl } from '../../test/topctl.js';

const { admin } = platform();
const newTenant = () => `init-${randomUUID().slice(0, 8)}`;

test('creates tenant, credential, role and profile, and the first command succeeds', async () => {
  const [cwd, tenantId] = [await temporaryDirectory(), newTenant()];
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
  const [cwd, tenantId] = [await temporaryDirectory(), newTenant()];
  const { exitCode, stderr } = await topctl(['init'], { cwd, env: environmentOf(admin), typed: [`${tenantId}\r`] });
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(
    new RegExp(`Next: topctl --profile ${tenantId} commands create --vendor [\\w-]+ --device-id DEVICE`),
  );
});

test('keeps a tenant that exists, and refuses a credential that exists', async () => {
  const [cwd, tenantId] = [await temporaryDirectory(), newTenant()];
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
  const [cwd, tenantId] = [await temporaryDirectory(), newTenant()];
  const argv = ['init', '--tenant-id', tenantId, '--dry-run'];
  expect(await topctl(argv, { cwd, env: environmentOf(admin) })).toMatchObject({ exitCode: 0 });
  expect(await filesBelow(cwd)).toEqual({});
  expect((await topctl(['tenants', 'get', tenantId], { env: environmentOf(admin) })).exitCode).toBe(3);
});
