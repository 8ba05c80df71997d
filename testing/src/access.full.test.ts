import { expect, test, vi } from 'vitest';
import { jsonIn, runPage } from './documentation-blocks.js';

vi.setConfig({ testTimeout: 180_000 });

test('docs/access.md, pasted from top to bottom, grants the documented permissions, and the audit log has all entries and tells who could send', async () => {
  const outputs = jsonIn(await runPage('docs/access.md'));
  expect(outputs.find((output) => 'scopes' in output && 'client_id' in output)).toMatchObject({
    tenant_id: 'globex',
    roles: ['integration_operator', 'replier'],
    scopes: expect.arrayContaining(['open:device-request:create']),
  });
  const byAdministrator = outputs.findIndex(
    (output) => output[0]?.client_id === 'globex-admin' && output[0]?.operation,
  );
  const [changes, denials] = outputs.slice(byAdministrator);
  expect(changes.map(({ operation }: { operation: string }) => operation)).toEqual([
    'policies.revoke',
    'policies.create',
    'policies.delete',
    'policies.create',
    'roleBindings.create',
    'roles.put',
    'credentials.update',
    'roleBindings.create',
    'credentials.create',
  ]);
  expect(denials).toEqual([]);

  const from = expect.any(String);
  expect(outputs.find((output) => 'could_call' in output)).toMatchObject({
    could_call: true,
    grants: [{ role: 'integration_operator', granted_by: 'globex-admin' }],
  });
  expect(outputs.at(-1)).toEqual([
    {
      client_id: 'globex-backend',
      from,
      until: null,
      grants: ['integration_operator'],
      change: 'roleBindings.create',
      changed_by: 'globex-admin',
    },
    {
      client_id: 'globex-old',
      from,
      until: expect.any(String),
      grants: ['policy open:command:create'],
      change: 'policies.create',
      changed_by: 'platform-admin',
    },
  ]);
});
