import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { type CommandUpdate, subjects } from '@tenant-open-platform/contract/bus';
import { createTenant, platform } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test } from 'vitest';
import { completed, newCommand } from '../../test/support/commands.js';
import { onBothNodes } from '../../test/support/on-both-nodes.js';
import { FLEET_DURABLE } from './adapter-reads.js';

test('the fleets of two nodes carry out every command once', async () => {
  const tenant = await createTenant();
  const nats = await connect({ servers: platform().natsUrl as string });
  onTestFinished(() => nats.close());
  const said = new Map<string, unknown[]>();
  nats.subscribe(subjects.commandUpdate(tenant.tenant_id, 'vendor_a'), {
    callback(_error, message) {
      const { command_id, device_execution_status } = message.json<CommandUpdate>();
      said.set(command_id, [...(said.get(command_id) ?? []), device_execution_status]);
    },
  });
  await nats.flush();
  const { consumers } = await jetstreamManager(nats);
  const redeliveries = async () => {
    const { delivered } = await consumers.info('TOP_COMMANDS', FLEET_DURABLE);
    return delivered.consumer_seq - delivered.stream_seq;
  };

  let before: number;
  let ids: string[];
  // A command that a fleet does not acknowledge for five seconds comes again, as on a machine that stalls.
  do {
    said.clear();
    before = await redeliveries();
    ids = await onBothNodes(200, (node) => newCommand(tenant.operator, { timeout_seconds: 300 }, node));
    await Promise.all(ids.map((id) => completed(tenant.reader, id)));
    await nats.flush();
  } while ((await redeliveries()) !== before);
  expect(said).toEqual(new Map(ids.map((id) => [id, ['IN_PROGRESS', 'SUCCEEDED']])));
});
