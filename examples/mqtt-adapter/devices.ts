import { type CommandHandler, Failed, Rejected, Unreachable } from '@tenant-open-platform/sdk/adapter';
import mqtt from 'mqtt';

/**
 * Each device has its own topics. The broker lets only this device use them, so the topic tells whose message it is:
 *
 * - devices/{tenant}/{device}/commands/{command_id}: to the device
 * - devices/{tenant}/{device}/outcomes/{command_id}: from the device
 * - devices/{tenant}/{device}/presence: `online` or `offline`, retained; `offline` is also the last will
 */
const FROM_DEVICE = /^devices\/([^/]+\/[^/]+)\/(?:outcomes\/([^/]+)|presence)$/;
/** Has no meaning in a topic, and is one token in a subject of NATS. */
const DEVICE_ID = /^[\w-]{1,128}$/;

/** The platform must know before the deadline that the device was unreachable. */
const BEFORE_DEADLINE_MS = 2_000;
/** How many commands may wait for one device. */
const MAX_WAITING = 16;
/** The largest result that the platform takes is 32 KiB. */
const MAX_OUTCOME_BYTES = 40_960;

type Waiting = { id: string; message: string; mayHaveBegun: boolean; answer(payload: Buffer): void };

type Login = { username?: string | undefined; password?: string | undefined };

/** A command is sent again until the device answers: MQTT does not store it for a device without a session. */
export async function connectDevices(url: string, login: Login, tenantId: string, sendAgainMs = 10_000) {
  const online = new Map<string, boolean>();
  /** The commands of a device without an outcome. It gets them one after the other. */
  const queues = new Map<string, Waiting[]>();

  // The client id is random: another client with the same id would end this connection.
  const broker = mqtt.connect(url, { ...login, reconnectPeriod: 1_000 });
  // The acknowledgement of a message that comes during `close` fails.
  broker.on('error', (error) => broker.disconnecting || console.error(`The broker cannot be used: ${error.message}`));
  broker.on('message', (topic, payload) => {
    const [, device = '', id] = FROM_DEVICE.exec(topic) ?? [];
    if (id)
      return queues
        .get(device)
        ?.find((waiting) => waiting.id === id)
        ?.answer(payload);
    online.set(device, String(payload) === 'online');
    sendFirst(device);
  });
  const tenant = tenantId === 'platform' ? '+' : tenantId;
  await broker.subscribeAsync([`devices/${tenant}/+/outcomes/+`, `devices/${tenant}/+/presence`], { qos: 1 });
  const sendingAgain = setInterval(() => [...queues.keys()].forEach(sendFirst), sendAgainMs);

  function sendFirst(device: string): void {
    const first = queues.get(device)?.[0];
    if (!first || !broker.connected || online.get(device) === false) return;
    broker.publish(`devices/${device}/commands/${first.id}`, first.message, { qos: 1 });
    first.mayHaveBegun ||= online.get(device) === true;
  }

  const carryOut: CommandHandler = async (command, { signal, redelivered, progress }) => {
    const { command_id, tenant_id, device_id, command_type, deadline_at, payload } = command;
    if (!DEVICE_ID.test(device_id)) throw new Rejected('UNKNOWN_DEVICE', 'There is no device of this id.');
    const device = `${tenant_id}/${device_id}`;
    const queue = queues.get(device) ?? [];
    if (queue.length >= MAX_WAITING)
      throw new Unreachable('DEVICE_BUSY', `${MAX_WAITING} commands wait for the device.`);
    queues.set(device, queue);
    const remainingMs = Date.parse(deadline_at) - Date.now();
    let leave = () => {};
    try {
      return await new Promise<object | undefined>((resolve, reject) => {
        let isBegun = false;
        const waiting: Waiting = {
          id: command_id,
          message: JSON.stringify({ command_type, deadline_at, payload }),
          mayHaveBegun: redelivered,
          answer(bytes) {
            waiting.mayHaveBegun = true;
            const outcome = read(bytes);
            if (outcome.status === 'SUCCEEDED') return resolve(outcome.result);
            if (!isBegun) void progress(outcome.status === 'IN_PROGRESS' ? 'IN_PROGRESS' : 'DELIVERED');
            isBegun = true;
            const { code = outcome.status, message = '' } = outcome;
            if (outcome.status === 'REJECTED') reject(new Rejected(code, message));
            if (outcome.status === 'FAILED') reject(new Failed(code, message));
          },
        };
        // UNREACHABLE says that the device did not execute the command. Otherwise the outcome is unknown: TIMED_OUT.
        const giveUp = () => waiting.mayHaveBegun || online.get(device) || reject(new Unreachable());
        const givingUp = setTimeout(giveUp, remainingMs - Math.min(BEFORE_DEADLINE_MS, remainingMs / 2));
        const atDeadline = () => reject(signal.reason);
        signal.addEventListener('abort', atDeadline);
        leave = () => {
          clearTimeout(givingUp);
          signal.removeEventListener('abort', atDeadline);
          queue.splice(queue.indexOf(waiting), 1);
          if (queue.length === 0) queues.delete(device);
        };
        if (queue.push(waiting) === 1) sendFirst(device);
      });
    } finally {
      leave();
      sendFirst(device);
    }
  };

  return {
    carryOut,
    async close() {
      clearInterval(sendingAgain);
      await broker.endAsync();
    },
  };
}

type Outcome = {
  status: 'IN_PROGRESS' | 'SUCCEEDED' | 'REJECTED' | 'FAILED';
  result?: object;
  code?: string;
  message?: string;
};

/** What a device sends that is no outcome ends its own command, and nothing else. */
function read(bytes: Buffer): Outcome {
  try {
    const outcome = bytes.length <= MAX_OUTCOME_BYTES && JSON.parse(String(bytes));
    const { status, result, code = '', message = '' } = outcome;
    const isOutcome = ['IN_PROGRESS', 'SUCCEEDED', 'REJECTED', 'FAILED'].includes(status);
    const isText = typeof code === 'string' && typeof message === 'string';
    if (isOutcome && isText && ['undefined', 'object'].includes(typeof result)) return outcome;
  } catch {}
  return { status: 'FAILED', code: 'OUTCOME_INVALID', message: 'The device sent an outcome that cannot be read.' };
}
