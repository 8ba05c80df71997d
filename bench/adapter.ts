import { setTimeout as pause } from 'node:timers/promises';
import { type Consumer, type JsMsg, jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

// An adapter in a separate process: it answers DELIVERED at once and SUCCEEDED after 0.1 s.

const { NATS_URL = '', TENANT_ID = '', VENDOR = '' } = process.env;
const DEVICE_MS = 100;
const MAX_MESSAGES = 1_000;

export type AdapterCounts = { inTime: number; late: number };

// A stack trace for every publish costs more than the publish.
const connection = await connect({ servers: NATS_URL.replace('nats://', ''), noAsyncTraces: true });
const bus = jetstream(connection);
const counts: AdapterCounts = { inTime: 0, late: 0 };
process.on('message', () => process.send?.(counts));

const consumer = await durable();
process.send?.('serving');
const messages = await consumer.consume({ max_messages: MAX_MESSAGES });
for await (const message of messages) void carryOut(message).catch(() => message.nak());

async function carryOut(message: JsMsg): Promise<void> {
  const { command_id, deadline_at } = message.json<{ command_id: string; deadline_at: string }>();
  const tell = (said: Said) => report(message.subject.split('.')[1] as string, command_id, said);
  const isInTime = Date.parse(deadline_at) > Date.now();
  if (!message.redelivered) counts[isInTime ? 'inTime' : 'late']++;
  if (isInTime) {
    const delivered = { adapter_status: 'DELIVERED', device_execution_status: 'IN_PROGRESS' };
    await Promise.all([tell(delivered), pause(DEVICE_MS)]);
    await tell({ device_execution_status: 'SUCCEEDED', result: { uptime_seconds: 0 } });
  }
  message.ack();
}

type Said = { device_execution_status: string; [field: string]: unknown };

async function report(tenantId: string, commandId: string, said: Said): Promise<void> {
  const update = { command_id: commandId, ...said, occurred_at: new Date().toISOString() };
  const msgID = `${commandId} ${said.device_execution_status}`;
  await bus.publish(`tenants.${tenantId}.command-updates.${VENDOR}`, JSON.stringify(update), { msgID });
}

/** The platform creates the durable shortly after the principal was registered. */
async function durable(): Promise<Consumer> {
  for (;;) {
    try {
      return await bus.consumers.get('TOP_COMMANDS', `${TENANT_ID}+${VENDOR}`);
    } catch {
      await pause(100);
    }
  }
}
