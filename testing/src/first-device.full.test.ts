import { expect, test, vi } from 'vitest';
import { jsonIn, runPage } from './documentation-blocks.js';
import { ownNats } from './private-nats.js';
import { startNode } from './start-node.js';

test('docs/first-device.md, pasted from top to bottom: a device of an own vendor carries out a command', async () => {
  const nats = await ownNats();
  const { folder, ...server } = await startNode({ NATS_URL: nats.url });
  // The hint of the first start leads to this page, and not to a command that nobody carries out.
  await vi.waitFor(() => expect(server.stdout()).toContain('/docs/first-device\n'), { timeout: 60_000 });
  expect(server.stdout()).not.toContain('commands create');
  const printed = await runPage('docs/first-device.md', {
    marked: 'run-full',
    before: `cp ${folder}/platform-admin.json ${folder}/demo.json data/`,
    env: { NATS_URL: nats.url },
  });
  expect(jsonIn(printed).slice(-2)).toMatchObject([
    { status: 'SUCCEEDED', result: { rpm: 1200 } },
    { status: 'REJECTED', status_reason: { code: 'UNKNOWN_DEVICE' } },
  ]);
});
