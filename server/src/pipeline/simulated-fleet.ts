import {
  type CommandMessage,
  type CommandUpdate,
  type DeviceRequestMessage,
  subjects,
} from '@tenant-open-platform/contract/bus';
import { newId } from '../foundation/ids.js';
import { FLEET_DURABLE, isSimulated } from './adapter-reads.js';
import type { Bus, Delivery, Message } from './bus/bus.js';

type Step = { afterMs: number } & Omit<CommandUpdate, 'command_id'>;

const DELIVERED: Step = { afterMs: 0, adapter_status: 'DELIVERED', device_execution_status: 'IN_PROGRESS' };
const succeeded = (afterMs: number): Step[] => [
  DELIVERED,
  { afterMs, device_execution_status: 'SUCCEEDED', result: { simulated: true } },
];

/** Eight steps in ten seconds: the platform stores one a second. */
const STEPS: Step[] = Array.from({ length: 8 }, (_, step) => ({
  ...DELIVERED,
  afterMs: step * 1_250,
  progress: { step, of: 8 },
}));

/** The behaviour of a device, by the prefix of its id; every other id behaves like `ok-`. */
const behaviours: Record<string, Step[]> = {
  'ok-': succeeded(200),
  'slow-': [
    ...STEPS,
    ...succeeded(10_000)
      .slice(1)
      .map((end) => ({ ...end, progress: { step: 8, of: 8 } })),
  ],
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
  'unreachable-': [
    {
      afterMs: 0,
      adapter_status: 'UNREACHABLE',
      status_reason: { code: 'UNREACHABLE', message: 'The simulated device is not connected.' },
    },
  ],
  'offline-': [],
  // More than the platform takes of a result: the message is parked.
  'verbose-': [DELIVERED, { afterMs: 100, device_execution_status: 'SUCCEEDED', result: { log: '.'.repeat(40_000) } }],
};

/** How long after its start a device asks for newer firmware. */
const ASKS_AFTER_MS = 300;

/** A vendor adapter with simulated devices, to try out the platform. It uses the bus like any other adapter. */
export async function startSimulatedFleet(bus: Bus): Promise<{ stop(): Promise<void> }> {
  let isStopped = false;
  const later = (afterMs: number, act: () => void) => void setTimeout(() => isStopped || act(), afterMs).unref();
  const publish = (message: Message) => void bus.publish([message]).catch(() => {});

  const commands = await bus.consume({
    stream: 'TOP_COMMANDS',
    durable: FLEET_DURABLE,
    async handle({ body }: Delivery) {
      const command = JSON.parse(body.toString('utf8')) as CommandMessage;
      if (!isSimulated(command.vendor) || Date.parse(command.deadline_at) <= Date.now()) return 'DONE';
      const behaviour = Object.keys(behaviours).find((beginning) => command.device_id.startsWith(beginning));
      for (const { afterMs, ...said } of behaviours[behaviour ?? 'ok-'] ?? []) {
        later(afterMs, () => publish(updateOf(command, said)));
      }
      if (behaviour === 'ok-' && command.command_type === 'reboot') {
        later(ASKS_AFTER_MS, () => publish(firmwareCheckOf(command)));
      }
      return 'DONE';
    },
  });
  // The devices accept every reply.
  const replies = await bus.consume({ stream: 'TOP_REPLIES', durable: FLEET_DURABLE, handle: async () => 'DONE' });
  return {
    async stop() {
      isStopped = true;
      await Promise.all([commands.stop(), replies.stop()]);
    },
  };
}

const updateOf = ({ command_id, tenant_id, vendor }: CommandMessage, said: Omit<CommandUpdate, 'command_id'>) => ({
  subject: subjects.commandUpdate(tenant_id, vendor),
  id: newId(),
  body: Buffer.from(JSON.stringify({ command_id, ...said, occurred_at: new Date().toISOString() })),
});

/** The id is the command's: a command that is delivered twice causes one request. */
function firmwareCheckOf({ command_id, tenant_id, vendor, device_id }: CommandMessage): Message {
  const request: DeviceRequestMessage = {
    device_id,
    request_type: 'firmware_check',
    payload: { version: '2.4.0' },
    dedupe_id: `reboot-${command_id}`,
  };
  const subject = subjects.deviceRequest(tenant_id, vendor);
  return { subject, id: newId(), body: Buffer.from(JSON.stringify(request)) };
}
