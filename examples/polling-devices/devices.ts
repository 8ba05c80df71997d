import { setTimeout as delay } from 'node:timers/promises';
import {
  type CommandContext,
  type CommandMessage,
  DeviceConnections,
  Failed,
  OutcomeUnknown,
  Rejected,
} from '@tenant-open-platform/sdk/adapter';

/** What may have become of a command. `unknown`: the device lost power in the middle. */
const statuses = ['done', 'failed', 'refused', 'unknown'] as const;
export const isStatus = (value: unknown): value is Said['status'] => statuses.includes(value as Said['status']);

/** What a device says of a command. */
export type Said = { status: (typeof statuses)[number]; result?: unknown; reason?: string };

/** What a device gets. */
type Task = Pick<CommandMessage, 'command_id' | 'command_type' | 'payload'> & { remaining_ms: number };

/** So long a poll waits for a command. */
const POLL_MS = 25_000;
/** So long a device may take to answer. */
const ANSWER_MS = 5_000;
/** So long a poll waits that comes while the device has a command: a device that repeats it without end costs little. */
const AGAIN_MS = 1_000;

/**
 * A device polls: an open poll is its connection. It gets a command again with each poll until it says what became of it,
 * so that no lost response loses a command. It must know the ids of commands that it has begun. The adapter must have
 * `onePerDevice`.
 */
export function pollingDevices() {
  const polls = new DeviceConnections<(task: Task | undefined) => void>();
  const open = new Map<string, { task: Task; context: CommandContext; end: (said: Said) => void }>();

  return {
    /** Resolves to the next command of the device, or to undefined if none comes in time or the device hangs up. */
    async poll(deviceId: string, hungUp: AbortSignal): Promise<Task | undefined> {
      if (open.has(deviceId)) await delay(AGAIN_MS, undefined, { signal: hungUp }).catch(() => {});
      if (hungUp.aborted) return undefined;
      const again = open.get(deviceId);
      if (again) return { ...again.task, remaining_ms: again.context.remainingMs };
      return new Promise((resolve) => {
        const settle = (task?: Task) => {
          clearTimeout(timer);
          polls.remove(deviceId, settle);
          resolve(task);
        };
        const timer = setTimeout(settle, POLL_MS);
        hungUp.addEventListener('abort', () => settle());
        polls.add(deviceId, settle)?.(undefined);
      });
    },

    /** False if this process does not wait for it: the device polls, gets the command again, and says it again. */
    say(deviceId: string, commandId: string, said: Said): boolean {
      const found = open.get(deviceId);
      if (found?.task.command_id !== commandId) return false;
      found.end(said);
      return true;
    },

    async onCommand({ command_id, device_id, command_type, payload }: CommandMessage, context: CommandContext) {
      const answer = await polls.waitFor(device_id, context, { answerMs: ANSWER_MS });
      const task = { command_id, command_type, payload, remaining_ms: context.remainingMs };
      const said = await new Promise<Said>((end) => {
        open.set(device_id, { task, context, end });
        context.signal.addEventListener('abort', () =>
          end({ status: 'unknown', reason: 'The device did not answer.' }),
        );
        answer(task);
      }).finally(() => open.delete(device_id));
      const reason = said.reason ?? '';
      if (said.status === 'done') return (said.result ?? {}) as object;
      if (said.status === 'failed') throw new Failed('DEVICE_FAILED', reason);
      if (said.status === 'unknown') throw new OutcomeUnknown('NO_OUTCOME', reason);
      void context.progress('DELIVERED');
      throw new Rejected('REFUSED', reason);
    },
  };
}
