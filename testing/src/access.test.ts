import { expect, test } from 'vitest';
import { blocksOf, runPasted } from './readme-blocks.js';

test('docs/access.md, pasted from top to bottom, grants the documented permissions, and the audit log has all entries', async () => {
  const blocks = blocksOf('docs/access.md');
  expect(blocks.length).toBeGreaterThan(0);
  const code = blocks.map((block) => block.code).join('\n');
  const printed = await runPasted({ language: 'sh', marked: 'run', code });
  const outputs = printed.split(/^(?=[{[])/m).map((output) => JSON.parse(output));
  expect(outputs.find((output) => 'scopes' in output && 'client_id' in output)).toMatchObject({
    tenant_id: 'globex',
    roles: ['integration_operator', 'replier'],
    scopes: expect.arrayContaining(['open:device-request:create']),
  });
  const [changes, denials] = outputs.slice(-2);
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
});
