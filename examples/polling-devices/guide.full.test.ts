import { startNode } from '@tenant-open-platform/testing';
import { jsonIn, runPage } from '@tenant-open-platform/testing/documentation-blocks';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { expect, test } from 'vitest';

test('docs/polling-devices.md, pasted from top to bottom: a device polls and carries out a command, another never polls', async () => {
  const nats = await ownNats();
  const { folder } = await startNode({ NATS_URL: nats.url });
  const port = String(await freePort());
  const printed = await runPage('docs/polling-devices.md', {
    marked: 'run-full',
    before: `cp ${folder}/platform-admin.json ${folder}/demo.json data/`,
    env: { NATS_URL: nats.url, PORT: port, ADAPTER_URL: `http://127.0.0.1:${port}` },
  });
  expect(printed).toContain('The heater heats to 21 °C.');
  expect(jsonIn(printed).filter(({ status }) => /SUCCEEDED|FAILED/.test(status))).toMatchObject([
    { status: 'SUCCEEDED', device_execution_status: 'SUCCEEDED', result: { celsius: 21 } },
    { status: 'FAILED', adapter_status: 'UNREACHABLE', device_execution_status: 'NOT_STARTED' },
  ]);
});
