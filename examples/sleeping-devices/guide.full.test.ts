import { startNode } from '@tenant-open-platform/testing';
import { jsonIn, runPage } from '@tenant-open-platform/testing/documentation-blocks';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { expect, test } from 'vitest';

test('docs/sleeping-devices.md, pasted from top to bottom: a command misses a device that sleeps, and succeeds when the device is awake', async () => {
  const nats = await ownNats();
  const { folder } = await startNode({ NATS_URL: nats.url });
  const printed = await runPage('docs/sleeping-devices.md', {
    marked: 'run-full',
    before: `cp ${folder}/platform-admin.json ${folder}/demo.json data/`,
    env: { NATS_URL: nats.url },
  });
  expect(printed).toContain('meter-7: set_interval SUCCEEDED');
  const outputs = jsonIn(printed);
  expect(outputs.find(({ status }) => status === 'FAILED')).toMatchObject({
    adapter_status: 'UNREACHABLE',
    device_execution_status: 'NOT_STARTED',
    status_reason: { code: 'ASLEEP' },
  });
  const [commands, requests] = outputs.slice(-2);
  expect(commands).toMatchObject([{ device_id: 'meter-7', status: 'SUCCEEDED', result: { minutes: 60 } }]);
  expect(requests).toMatchObject([
    { device_id: 'meter-7', request_type: 'awake', reply: { payload: { sleep: true } } },
  ]);
});
