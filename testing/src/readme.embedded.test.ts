import { expect, test } from 'vitest';
import { blocksOf, runPasted } from './documentation-blocks.js';

const blocks = blocksOf('README.md').filter(({ marked }) => marked === 'run');
const containing = (text: string) => {
  const found = blocks.filter(({ code }) => code.includes(text));
  expect(found).toHaveLength(1);
  return found[0] as (typeof blocks)[number];
};

test.each([
  ['topctl', 'commands create'],
  ['the SDK', 'new TenantOpenPlatform'],
  ['the example', 'examples/send-command'],
])('the README sends a first command with %s', async (_name, text) => {
  const printed = await runPasted(containing(text));
  expect(printed).toMatch(/command_id"?: .*device_id"?: ['"]ok-1['"].*status"?: ['"]SUCCEEDED['"]/s);
});

test('the README creates a tenant with a credential that may send commands', async () => {
  expect(await runPasted(containing('tenants create'))).toMatch(/"client_id": "acme-backend".*open:command:create/s);
});

test('every marked block of the README is run', () => {
  expect(blocks).toHaveLength(4);
});
