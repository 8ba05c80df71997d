import { expect, test, vi } from 'vitest';
import { jsonIn, runPage } from './documentation-blocks.js';

vi.setConfig({ testTimeout: 180_000 });

test('docs/access.md, pasted from top to bottom, grants the documented permissions, and the audit log has all entries and who could send', async () => {
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

  const days = outputs.filter((output) => 'day' in output);
  expect(days).toHaveLength(7);
  // After midnight, the lines pasted first would belong to the previous day.
  expect(days.slice(0, 5).flatMap(({ client_ids }) => client_ids)).toEqual([]);
  const found = new Set(days.flatMap(({ client_ids }) => client_ids));
  expect(found).toEqual(new Set(['globex-backend', 'globex-old']));
});
