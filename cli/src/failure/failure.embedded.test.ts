import { createTenant } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { environmentOf, topctl } from '../../test/topctl.js';

test('a wrong secret: exit code 4, and a note that the request arrived unchanged', async () => {
  const { reader, admin } = await createTenant();
  const env = environmentOf({ ...reader, secret: admin.secret });
  const { exitCode, stdout, stderr } = await topctl(['whoami'], { env });
  expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
  expect(stderr).toContain('(UNAUTHENTICATED)');
  expect(stderr).toContain('The request arrived as it was signed, so the client_id or the secret is wrong');
  expect(stderr).not.toContain(admin.secret);
});

test('a request that a proxy rewrote: the line that differs', async () => {
  const { reader } = await createTenant();
  const rewriting: typeof fetch = (input, init) => fetch(`${String(input)}?tracking=1`, init);
  const { exitCode, stderr } = await topctl(['whoami'], { env: environmentOf(reader), fetch: rewriting });
  expect(exitCode).toBe(4);
  expect(stderr).toContain('target: signed "/api/v1/open/me", received "/api/v1/open/me?tracking=1"\n');
});

test('a missing permission: exit code 5, and the command that grants the scope, which works', async () => {
  const { reader, admin } = await createTenant();
  const refused = await topctl(
    ['objects', 'presign', '--operation', 'UPLOAD', '--resource-id', 'r', '--object-key', 'k'],
    {
      env: environmentOf(reader),
    },
  );
  expect(refused).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('lacks the scope open:object:create') });
  const [, grant = ''] = /grants it with: topctl (.+)/.exec(refused.stderr) ?? [];
  expect(await topctl(grant.split(' '), { env: environmentOf(admin) })).toMatchObject({ exitCode: 0 });
  const { stdout } = await topctl(['whoami'], { env: environmentOf(reader) });
  expect(JSON.parse(stdout).scopes).toContain('open:object:create');
});

test('a refused field: each location with its message', async () => {
  const { admin } = await createTenant();
  const argv = ['credentials', 'update', admin.client_id, '--allowed-clock-skew-seconds', '1', '--expires-at', 'soon'];
  const { exitCode, stderr } = await topctl(argv, { env: environmentOf(admin) });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^ {2}--allowed-clock-skew-seconds: .+$/m);
  expect(stderr).toMatch(/^ {2}--expires-at: .+$/m);
});
