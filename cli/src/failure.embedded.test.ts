import { createTenant } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { environmentOf, topctl } from '../test/topctl.js';

test('a wrong secret: exit code 4, and a note that the request arrived unchanged', async () => {
  const { reader, admin } = await createTenant();
  const env = environmentOf({ ...reader, secret: admin.secret });
  const { exitCode, stdout, stderr } = await topctl(['whoami'], { env });
  expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
  expect(stderr).toContain('(UNAUTHENTICATED)');
  expect(stderr).toContain('the request arrived as it was signed, so the client_id or the secret is wrong');
  expect(stderr).not.toContain(admin.secret);
});

test('a request that a proxy rewrote: the line that differs', async () => {
  const { reader } = await createTenant();
  const rewriting: typeof fetch = (input, init) => fetch(`${String(input)}?tracking=1`, init);
  const { exitCode, stderr } = await topctl(['whoami'], { env: environmentOf(reader), fetch: rewriting });
  expect(exitCode).toBe(4);
  expect(stderr).toContain('target: signed "/api/v1/open/me", received "/api/v1/open/me?tracking=1"\n');
});

test('a missing permission: exit code 5, and the required scope', async () => {
  const { reader } = await createTenant();
  const { exitCode, stderr } = await topctl(['roles', 'list'], { env: environmentOf(reader) });
  expect(exitCode).toBe(5);
  expect(stderr).toMatch(
    /\(FORBIDDEN\)\n {2}required_scope: platform:access:read\n {2}granted_by_roles: \["platform_admin","tenant_admin"\]\n {2}request id: \S+\n$/,
  );
});

test('a refused field: each location with its message', async () => {
  const { admin } = await createTenant();
  const argv = ['credentials', 'update', admin.client_id, '--allowed-clock-skew-seconds', '1', '--expires-at', 'soon'];
  const { exitCode, stderr } = await topctl(argv, { env: environmentOf(admin) });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^ {2}body\/allowed_clock_skew_seconds: .+$/m);
  expect(stderr).toMatch(/^ {2}body\/expires_at: .+$/m);
});
