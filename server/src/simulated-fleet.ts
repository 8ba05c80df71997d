import { type CommandMessage, type CommandUpdate, subjects } from '@tenant-open-platform/contract/bus';
import type { Bus, Delivery } from './platform/bus/bus.js';
import { newId } from './platform/new-id.js';

type Step = { afterMs: number } & Omit<CommandUpdate, 'command_id'>;

const DELIVERED: Step = { afterMs: 0, adapter_status: 'DELIVERED', device_execution_status: 'IN_PROGRESS' };
const succeeded = (afterMs: number): Step[] => [
  DELIVERED,
  { afterMs, device_execution_status: 'SUCCEEDED', result: { simulated: true } },
];

/** What a device does, by the beginning of its id; `ok-` stands for every other. */
const behaviours: Record<string, Step[]> = {
  'ok-': succeeded(200),
  'slow-': succeeded(10_000),
  'fail-': [
    DELIVERED,
    {
      afterMs: 200,
      device_execution_status: 'FAILED',
      status_reason: { code: 'DEVICE_FAULT', message: 'The simulated device failed.' },
    },
  ],
  'reject-': [
    {
      afterMs: 100,
      device_execution_status: 'REJECTED',
      status_reason: { code: 'NOT_NOW', message: 'The simulated device refused the command.' },
    },
  ],
  'unsupported-': [
    {
      afterMs: 0,
      adapter_status: 'UNSUPPORTED',
      status_reason: { code: 'UNSUPPORTED', message: 'The simulated device knows no such command.' },
    },
  ],
  'offline-': [],
};

/** A vendor adapter with its devices, for a platform to try out. It speaks over the bus as any other adapter does. */
export async function startSimulatedFleet(bus: Bus): Promise<{ stop(): Promise<void> }> {
  const timers = new Set<NodeJS.Timeout>();

  function later(afterMs: number, act: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      act();
    }, afterMs);
    timers.add(timer);
  }

  const commands = await bus.consume({
    stream: 'TOP_COMMANDS',
    durable: 'simulated-fleet',
    async handle({ body }: Delivery) {
      const command = JSON.parse(body.toString('utf8')) as CommandMessage;
      const behaviour = Object.keys(behaviours).find((beginning) => command.device_id.startsWith(beginning));
      for (const { afterMs, ...said } of behaviours[behaviour ?? 'ok-'] ?? []) {
        later(afterMs, () => void bus.publish([updateOf(command, said)]).catch(() => {}));
      }
      return 'DONE';
    },
  });
  return {
    stop() {
      for (const timer of timers) clearTimeout(timer);
      return commands.stop();
    },
  };
}

const updateOf = ({ command_id, tenant_id, vendor }: CommandMessage, said: Omit<CommandUpdate, 'command_id'>) => ({
  subject: subjects.commandUpdate(tenant_id, vendor),
  id: newId(),
  body: Buffer.from(JSON.stringify({ command_id, ...said, occurred_at: new Date().toISOString() })),
});
