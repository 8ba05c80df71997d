import {
  type CommandHandler,
  DeviceConnections,
  Failed,
  OutcomeUnknown,
  Rejected,
  Unsupported,
} from '@tenant-open-platform/sdk/adapter';
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

/** So long a device may take to answer: the platform must know before the deadline that it was unreachable. */
const ANSWER_MS = 2_000;
/** Of an answer that is not JSON, such as one that is cut off or contains NaN, the first field can still be read. */
const STATUS_FIRST = /^\s*\{\s*"status"\s*:\s*"([A-Z_]+)"/;

type Waiting = { id: string; message(): string; answer(payload: Buffer): void };

type Login = { username?: string | undefined; password?: string | undefined };

/**
 * A command is sent again until the device answers, each time with what is left of its time. It has QoS 0: a broker or a
 * client that stored it would deliver it later, when less is left.
 */
export async function connectDevices(url: string, login: Login, tenantId: string, sendAgainMs = 10_000) {
  const online = new DeviceConnections<true>();
  const known = new Set<string>();
  /** The command of a device that has no outcome. The kit gives a device one after the other. */
  const waiting = new Map<string, Waiting>();

  // The client id is random: another client with the same id would end this connection.
  const broker = mqtt.connect(url, { ...login, reconnectPeriod: 1_000, queueQoSZero: false });
  // The acknowledgement of a message that comes during `close` fails.
  broker.on('error', (error) => broker.disconnecting || console.error(`The broker cannot be used: ${error.message}`));
  // It tells the presence of each device again when it is back.
  broker.on('close', () => known.forEach((device) => void online.remove(device, true)));
  broker.on('message', (topic, payload) => {
    const [, device = '', id] = FROM_DEVICE.exec(topic) ?? [];
    const command = waiting.get(device);
    if (id) return command?.id === id ? command.answer(payload) : undefined;
    if (String(payload) !== 'online') return online.remove(device, true);
    known.add(device);
    online.add(device, true);
    send(device);
  });
  const tenant = tenantId === 'platform' ? '+' : tenantId;
  await broker.subscribeAsync([`devices/${tenant}/+/outcomes/+`, `devices/${tenant}/+/presence`], { qos: 1 });
  const sendingAgain = setInterval(() => [...waiting.keys()].forEach(send), sendAgainMs);

  function send(device: string): void {
    const command = waiting.get(device);
    if (!command || !online.get(device)) return;
    broker.publish(`devices/${device}/commands/${command.id}`, command.message(), { qos: 0 });
  }

  /** The adapter must have `onePerDevice`. */
  const carryOut: CommandHandler = async (command, context) => {
    const { command_id: id, tenant_id, device_id, command_type, payload } = command;
    if (!DEVICE_ID.test(device_id)) throw new Rejected('UNKNOWN_DEVICE', 'There is no device of this id.');
    const device = `${tenant_id}/${device_id}`;
    await online.waitFor(device, context, { answerMs: ANSWER_MS });
    const { signal, progress } = context;
    try {
      return await new Promise<object | undefined>((resolve, reject) => {
        let isBegun = false;
        const answer = (bytes: Buffer) => {
          const { status, result, code, message } = read(bytes);
          if (status === 'SUCCEEDED') return resolve(result);
          if (!status)
            return reject(new OutcomeUnknown('OUTCOME_INVALID', 'The outcome of the device cannot be read.'));
          if (status === 'UNSUPPORTED') return reject(new Unsupported(code, message));
          if (!isBegun) void progress(status === 'IN_PROGRESS' ? 'IN_PROGRESS' : 'DELIVERED');
          isBegun = true;
          if (status === 'REJECTED') reject(new Rejected(code, message));
          if (status === 'FAILED') reject(new Failed(code, message));
        };
        signal.addEventListener('abort', () => reject(signal.reason));
        const message = () => JSON.stringify({ command_type, remaining_ms: Math.floor(context.remainingMs), payload });
        waiting.set(device, { id, message, answer });
        send(device);
      });
    } finally {
      waiting.delete(device);
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

const STATUSES = ['IN_PROGRESS', 'SUCCEEDED', 'REJECTED', 'FAILED', 'UNSUPPORTED'] as const;

type Outcome = {
  /** Undefined if nothing is known: the device may have done it. */
  status?: (typeof STATUSES)[number] | undefined;
  result?: object;
  code: string;
  message: string;
};

/** The status counts, whatever stands beside it: a device that has done it must not be told to do it again. */
function read(bytes: Buffer): Outcome {
  // Programs in C send the end of their string too.
  const text = String(bytes).replace(/\0+$/, '');
  const { status, result, code, message } = fieldsOf(text);
  const known = STATUSES.find((each) => each === status);
  if (!known) return { code: '', message: '' };
  // The kit says RESULT_INVALID of a result that is no object.
  return {
    status: known,
    code: textOf(code) || known,
    message: textOf(message),
    ...(result != null && { result }),
  } as Outcome;
}

function fieldsOf(text: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(text) };
  } catch {
    return { status: STATUS_FIRST.exec(text)?.[1], result: 'not JSON' };
  }
}

const textOf = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
