import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startPlatform } from '../vendor-adapter/start-platform.js';
import { build, isGoThere } from './build.js';
import { executionsIn } from './device-log.js';

test.runIf(isGoThere)('with the seed of its principal the adapter in Go carries out a command', async () => {
  const platform = await startPlatform();
  const file = join(platform.folder, 'devices');
  const adapter = await platform.startAdapter({
    argv: [build()],
    environment: { NATS_SEED: readFileSync(platform.seeds.demo, 'utf8'), DEVICE_LOG: file },
  });
  await adapter.logged('Reads demo+vendor_a on TOP_COMMANDS.');
  const commandId = await platform.send({});
  expect(await platform.outcomeOf(commandId)).toMatchObject({ status: 'SUCCEEDED', result: { executed: true } });
  expect(executionsIn(file)).toMatchObject([{ command_id: commandId, device_id: 'demo-1', answer: 'DONE' }]);
  await adapter.stop();
});
