import { type CommandMessage, type CommandUpdate, subjects } from '@tenant-open-platform/contract/bus';
import { pino } from 'pino';
import { natsBus } from '../../src/pipeline/bus/nats-bus.js';

export type Adapter = {
  /** The ids of commands in the order of their arrival. */
  received: string[];
  stop(): Promise<void>;
};

/**
 * An adapter of all tenants that outlives the platform's processes: every command succeeds at once, unless its device
 * is called `silent`.
 */
export async function startAdapter(natsUrl: string): Promise<Adapter> {
  const bus = await natsBus({ url: natsUrl }, pino({ level: 'silent' }));
  const received: string[] = [];
  await bus.consume({
    stream: 'TOP_COMMANDS',
    durable: 'test-adapter',
    async handle({ body }) {
      const { command_id, tenant_id, vendor, device_id }: CommandMessage = JSON.parse(body.toString('utf8'));
      received.push(command_id);
      if (device_id === 'silent') return 'DONE';
      const update: CommandUpdate = { command_id, device_execution_status: 'SUCCEEDED' };
      const subject = subjects.commandUpdate(tenant_id, vendor);
      await bus.publish([{ subject, id: command_id, body: Buffer.from(JSON.stringify(update)) }]);
      return 'DONE';
    },
  });
  return { received, stop: () => bus.close() };
}
