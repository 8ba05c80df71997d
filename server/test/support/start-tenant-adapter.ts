import { setTimeout as delay } from 'node:timers/promises';
import type { Consumer, JetStreamClient } from '@nats-io/jetstream';
import { CommandMessage, durables, subjects } from '@tenant-open-platform/contract/bus';

const IN_FLIGHT = 64;
const FETCH_MS = 1_000;
const AGAIN_MS = 50;

/** An adapter of one tenant, which reads the durable that the platform creates for it: each command succeeds. */
export function startTenantAdapter(client: JetStreamClient, tenantId: string, vendor: string) {
  const received: string[] = [];
  let isStopping = false;

  async function readOn(): Promise<void> {
    while (!isStopping) {
      try {
        await read(await client.consumers.get('TOP_COMMANDS', durables.adapter(tenantId, vendor)));
      } catch {
        // The durable does not exist yet or is gone.
        await delay(AGAIN_MS);
      }
    }
  }

  async function read(consumer: Consumer): Promise<void> {
    while (!isStopping) {
      for await (const message of await consumer.fetch({ max_messages: IN_FLIGHT, expires: FETCH_MS })) {
        const command = CommandMessage.parse(message.json());
        received.push(command.command_id);
        const update = { command_id: command.command_id, device_execution_status: 'SUCCEEDED' };
        const subject = subjects.commandUpdate(command.tenant_id, command.vendor);
        await client.publish(subject, JSON.stringify(update), { msgID: `done:${command.command_id}` });
        message.ack();
      }
    }
  }

  const reading = readOn();
  return {
    received,
    stop(): Promise<void> {
      isStopping = true;
      return reading;
    },
  };
}
