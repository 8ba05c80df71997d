import { setTimeout as delay } from 'node:timers/promises';
import {
  type CommandContext,
  type CommandOf,
  OutcomeUnknown,
  Rejected,
  Unsupported,
} from '@tenant-open-platform/sdk/adapter';

/** The command types of the vendor with their payloads. */
type Commands = { reboot: object; set_power: { power: 'on' | 'off' } };

/** Replace this with the vendor's protocol. These devices take a moment, and refuse to be switched on. */
export async function carryOut(command: CommandOf<Commands>, { signal, redelivered, progress }: CommandContext) {
  const { tenant_id, device_id } = command;
  if (!isDeviceOf(tenant_id, device_id)) throw new Rejected('UNKNOWN_DEVICE', 'The tenant has no device of this id.');
  // These devices cannot be asked.
  if (redelivered) throw new OutcomeUnknown('SENT_TWICE', 'The device may have executed the command already.');
  console.error(`${device_id}: ${command.command_type}`);
  void progress('IN_PROGRESS');
  await delay(50, undefined, { signal });
  switch (command.command_type) {
    case 'reboot':
      return { uptime_seconds: 0 };
    case 'set_power':
      if (command.payload.power === 'on') {
        throw new Rejected('DOOR_OPEN', 'The device does not switch on while its door is open.');
      }
      return { power: command.payload.power };
    default:
      throw new Unsupported();
  }
}

/** Only the vendor knows whose device it is: here the id begins with the tenant. Replace this with your records. */
const isDeviceOf = (tenantId: string, deviceId: string) => deviceId.startsWith(`${tenantId}-`);
