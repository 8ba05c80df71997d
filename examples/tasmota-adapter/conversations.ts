import { type CommandContext, OutcomeUnknown } from '@tenant-open-platform/sdk/adapter';
import mqtt from 'mqtt';

export type Message = [name: string, parameter: string];
export type Answer = Record<string, unknown>;
type Login = { username?: string | undefined; password?: string | undefined };
type Options = { signal: CommandContext['signal']; isRepeated?: boolean };

const FROM_DEVICE = /^(?:stat|tele)\/([^/]+)\/(RESULT|LWT)$/;
const REPEAT_MS = 1_000;

/** Talks with devices whose answers do not say what they answer: one message at a time for each device. */
export async function connectToBroker(url: string, login: Login) {
  /** `ready`: it listens and owes no answer, so its next RESULT is the answer to the next message. */
  const states = new Map<string, 'ready' | 'offline'>();
  const waiting = new Map<string, { hear(answer: Answer): void; end(code: string, message: string): void }>();

  // Without a queue, and with QoS 0: what is sent while the broker is away would be executed late.
  const broker = mqtt.connect(url, { ...login, reconnectPeriod: 1_000, queueQoSZero: false });
  broker.on('error', (error) => broker.disconnecting || console.error(`The broker cannot be used: ${error.message}`));
  broker.on('close', () => {
    states.clear();
    for (const { end } of waiting.values()) end('BROKER_LOST', 'The connection broke before the device answered.');
  });
  broker.on('message', (topic, payload) => {
    const [, device = '', what] = FROM_DEVICE.exec(topic) ?? [];
    if (what === 'RESULT') return waiting.get(device)?.hear(read(payload));
    states.delete(device);
    if (String(payload) !== 'Offline') return;
    states.set(device, 'offline');
    waiting.get(device)?.end('DEVICE_LOST', 'The device went offline before it answered.');
  });
  await broker.subscribeAsync(['stat/+/RESULT', 'tele/+/LWT'], { qos: 1 });

  return {
    close: () => broker.endAsync(),
    stateOf: (device: string) => (broker.connected ? states.get(device) : 'offline'),
    /** Resolves to the next RESULT that has one of the names. */
    async ask(device: string, [name, parameter]: Message, names: RegExp, { signal, isRepeated }: Options) {
      signal.throwIfAborted();
      states.delete(device);
      const send = () => broker.publish(`cmnd/${device}/${name}`, parameter, { qos: 0 });
      const repeating = isRepeated ? setInterval(send, REPEAT_MS) : undefined;
      try {
        return await new Promise<Answer>((resolve, reject) => {
          const end = (code: string, message: string) => reject(new OutcomeUnknown(code, message));
          signal.addEventListener('abort', () => end('NO_ANSWER', 'The device did not answer in time.'));
          const hear = (answer: Answer) => {
            if (!Object.keys(answer).some((key) => names.test(key))) return;
            waiting.delete(device);
            states.set(device, 'ready');
            resolve(answer);
          };
          waiting.set(device, { hear, end });
          send();
        });
      } finally {
        waiting.delete(device);
        clearInterval(repeating);
      }
    },
  };
}

/** What is not JSON has no name, so it answers nothing. */
function read(payload: Buffer): Answer {
  try {
    return Object(JSON.parse(String(payload)));
  } catch {
    return {};
  }
}
