import { setTimeout as delay } from 'node:timers/promises';

/** A message on `tenants.{tenant_id}.commands.{vendor}`. */
export type Command = {
  command_id: string;
  tenant_id: string;
  vendor: string;
  device_id: string;
  command_type: string;
  payload: Record<string, unknown>;
  accepted_at: string;
  deadline_at: string;
};

/** A message on `tenants.{tenant_id}.command-updates.{vendor}`, with the command_id. */
export type Outcome = {
  adapter_status?: 'DELIVERED' | 'REJECTED' | 'UNSUPPORTED' | 'UNREACHABLE' | 'FAILED' | 'TIMED_OUT';
  device_execution_status?: 'IN_PROGRESS' | 'SUCCEEDED' | 'FAILED' | 'REJECTED' | 'TIMED_OUT';
  status_reason?: { code: string; message: string };
  result?: Record<string, unknown>;
};

/** Replace this with the vendor's protocol. These devices take a moment, and refuse to be switched on. */
export async function carryOut({ device_id, command_type, payload }: Command): Promise<Outcome> {
  console.error(`${device_id}: ${command_type}`);
  await delay(50);
  switch (command_type) {
    case 'reboot':
      return { device_execution_status: 'SUCCEEDED', result: { uptime_seconds: 0 } };
    case 'set_power':
      if (payload.power === 'on') {
        const status_reason = { code: 'DOOR_OPEN', message: 'The device does not switch on while its door is open.' };
        return { device_execution_status: 'REJECTED', status_reason };
      }
      return { device_execution_status: 'SUCCEEDED', result: { power: payload.power } };
    default:
      return { adapter_status: 'UNSUPPORTED', status_reason: { code: 'UNSUPPORTED', message: 'No such command.' } };
  }
}
