import mqtt from 'mqtt';

type Reaction = 'answers' | 'holds its answer' | 'loses its connection' | 'is mute';
type Options = { relay?: 'POWER' | 'POWER1'; hasLight?: boolean; listensAfter?: Promise<unknown> };

/**
 * A device that speaks as Tasmota's firmware does (tasmota/tasmota_xdrv_driver/xdrv_02_9_mqtt.ino and
 * tasmota/tasmota_support/support_command.ino in github.com/arendst/Tasmota): QoS 0, no session, and it says that it is
 * online before it subscribes.
 */
export async function startTasmota(
  url: string,
  login: { username: string; password: string },
  { relay = 'POWER', hasLight = false, listensAfter }: Options = {},
) {
  const topic = login.username;
  const lwt = { topic: `tele/${topic}/LWT`, qos: 1, retain: true } as const;
  const heard: string[] = [];
  const held: object[] = [];
  let power = 'OFF';
  let reaction: Reaction = 'answers';

  const client = mqtt.connect(url, {
    ...login,
    will: { ...lwt, payload: Buffer.from('Offline') },
    reconnectPeriod: 200,
    resubscribe: false,
    queueQoSZero: false,
  });
  client.on('error', () => {});
  const say = (result: object | string) =>
    void client.publish(`stat/${topic}/RESULT`, typeof result === 'string' ? result : JSON.stringify(result));

  async function boot() {
    client.publish(lwt.topic, 'Online', { qos: 0, retain: true });
    await listensAfter;
    await client.subscribeAsync(`cmnd/${topic}/#`, { qos: 0 });
    say({ [relay]: power });
  }
  const booted = new Promise<void>((resolve) => {
    client.on('connect', () => void boot().then(resolve, () => {}));
  });

  client.on('message', (heardOn, payload) => {
    const name = (heardOn.split('/').at(-1) as string).toUpperCase();
    heard.push(`${name} ${payload}`);
    if (reaction === 'loses its connection') return void client.stream.destroy();
    if (reaction === 'is mute') return;
    const answer = answerTo(name, String(payload));
    if (reaction === 'holds its answer') held.push(answer);
    else say(answer);
  });

  function answerTo(name: string, parameter: string): object {
    if (name === 'TOPIC' && parameter === '') return { Topic: topic };
    if (name === 'POWER') {
      if (parameter === 'TOGGLE') power = power === 'ON' ? 'OFF' : 'ON';
      else power = parameter || power;
      return { [relay]: power };
    }
    if (name !== 'DIMMER' || !hasLight) return { Command: 'Unknown' };
    return Number(parameter) > 100 ? { Command: 'Error' } : { POWER: 'ON', Dimmer: Number(parameter) };
  }

  return {
    booted,
    /** The commands without the questions, such as `POWER ON`. */
    commands: () => heard.filter((each) => each !== 'TOPIC '),
    questions: () => heard.filter((each) => each === 'TOPIC ').length,
    say,
    from(next: Reaction) {
      reaction = next;
      if (next === 'answers') for (const answer of held.splice(0)) say(answer);
    },
    /** Without a goodbye: the broker publishes the last will. */
    unplug() {
      client.stream.destroy();
      client.end(true);
    },
  };
}
