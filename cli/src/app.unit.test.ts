import { describe, expect, test } from 'vitest';
import { topctl, unusedSecret } from '../test/topctl.js';

const unreachable = { TOP_BASE_URL: 'http://127.0.0.1:1', TOP_CLIENT_ID: 'nobody', TOP_SECRET: unusedSecret };

describe('without a terminal', () => {
  test('lists every missing flag at once, and the usage', async () => {
    expect(await topctl(['commands', 'create', '--vendor', 'vendor_a'], { env: unreachable })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'error: missing --device-id, --command-type\nUsage: topctl commands create [options]\n',
    });
  });

  test('lists --yes among the missing flags', async () => {
    const argv = ['credentials', 'create', '--client-id', 'x', '--status', 'DELETED'];
    const { exitCode, stderr } = await topctl(argv, { env: unreachable });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'error: missing --name, --yes\nUsage: topctl credentials create [options]\n',
    });
  });

  test.each([
    ['role-bindings', 'delete', 'x', 'integration_reader'],
    ['credentials', 'rotate', 'x'],
    ['credentials', 'update', 'x', '--status', 'DISABLED'],
    ['credentials', 'update', 'x', '--status', 'DELETED'],
    ['tenants', 'update', 'x', '--status', 'DISABLED'],
    ['roles', 'delete', 'x'],
    ['policies', 'delete', 'x'],
    ['bus-principals', 'update', 'x', '--status', 'DISABLED'],
    ['bus-principals', 'update', 'x', '--status', 'DELETED'],
    ['vendors', 'put', 'x', '--enabled', 'false'],
    ['command-types', 'put', 'x', 'y', '--enabled', 'false'],
    ['object-credentials', 'update', 'x', '--status', 'DISABLED'],
    ['object-resources', 'update', 'x', '--status', 'DISABLED'],
    ['callback-endpoints', 'update', 'x', '--status', 'DISABLED'],
    ['callback-endpoints', 'rotate', 'x'],
    ['object-credentials', 'delete', 'x'],
    ['object-resources', 'delete', 'x'],
    ['callback-endpoints', 'delete', 'x'],
    ['callback-subscriptions', 'update', 'x', 'y', '--status', 'DISABLED'],
    ['callback-subscriptions', 'delete', 'x', 'y'],
  ])('%s %s needs --yes before anything is sent', async (...argv) => {
    const sent: unknown[] = [];
    const fetch = (...request: unknown[]) => Promise.reject(new Error(`sent ${sent.push(request)}`));
    const { exitCode, stdout, stderr } = await topctl(argv, { env: unreachable, fetch });
    expect({ exitCode, stdout, sent }).toEqual({ exitCode: 2, stdout: '', sent: [] });
    expect(stderr).toMatch(/^error: missing --yes\n {2}--yes confirms: .+\?.*\nUsage: topctl /);
  });
});

test.each([
  [['nonsense']],
  [['tenants']],
  [[]],
  [['tenants', 'get', '--nonsense']],
  [['commands', 'get']],
  [['whoami', '-o', 'xml']],
  [['commands', 'create', '--timeout-seconds', '5m']],
  [['tenants', 'list', '--limit', '0']],
  [['credentials', 'update', 'x']],
  [['tenants', 'update', 'x']],
  [['bus-principals', 'update', 'x']],
  [['command-types', 'put', 'x', 'y']],
  [['command-types', 'put', 'x', 'y', '--payload-schema', '[]']],
  [['vendors', 'put', 'x', '--enabled', 'yes']],
  [['object-credentials', 'update', 'x']],
  [['object-credentials', 'update', 'x', '--secret-access-key-file', 'y']],
  [['object-resources', 'update', 'x']],
  [['object-resources', 'update', 'x', '--allowed-operations', 'upload']],
  [['callback-endpoints', 'update', 'x']],
  [['callback-endpoints', 'create', '--name', 'x', '--url', 'y', '-o', 'id']],
  [['callback-endpoints', 'rotate', 'x', '--yes', '-o', 'id']],
  [['whoami', '--profile', 'a', '--profile-file', 'b']],
  [['credentials', 'rotate', 'x', '--yes', '-o', 'id']],
])('%j is wrong usage: exit code 2, nothing on stdout', async (argv) => {
  const { exitCode, stdout, stderr } = await topctl(argv, { env: unreachable });
  expect({ exitCode, stdout, said: stderr !== '' }).toEqual({ exitCode: 2, stdout: '', said: true });
});

test('--fields without the secret is refused, unless a file keeps it', async () => {
  const argv = ['credentials', 'create', '--client-id', 'x', '--name', 'x', '--fields', 'name'];
  const { exitCode, stdout, stderr } = await topctl(argv, { env: unreachable });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain('--fields does not print the secret, which is shown only once: add --secret-file PATH');
});

test('an unreachable platform fails with exit code 1 and does not show the secret', async () => {
  const { exitCode, stdout, stderr } = await topctl(['whoami'], { env: unreachable });
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toMatch(/^error: /);
  expect(stderr).not.toContain(unusedSecret);
});

test('a command with an unknown outcome names the key that makes a retry safe', async () => {
  const argv = ['commands', 'create', '--vendor', 'v', '--device-id', 'd', '--command-type', 'c'];
  const { exitCode, stderr } = await topctl(argv, { env: unreachable });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/--idempotency-key \S{8,}/);
});
