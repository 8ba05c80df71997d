import {
  type CommandContext,
  type CommandOf,
  OutcomeUnknown,
  Rejected,
  Unreachable,
  Unsupported,
} from '@tenant-open-platform/sdk/adapter';
import type { connectToBroker, Message } from './conversations.js';

/** No others: with Publish, Rule1 or MqttHost, a tenant would reach beyond its device. */
type Commands = { set_power: { power: 'on' | 'off' | 'toggle' }; set_dimmer: { percent: number } };

/** Every device answers it, and no command has this answer. */
const QUESTION: Message = ['Topic', ''];
/** The platform must know before the deadline that the device was unreachable. */
const BEFORE_DEADLINE_MS = 2_000;

/** `tenants`: whose device it is, by its topic. The adapter must have `onePerDevice`. */
export const commandsFor = (
  { ask, stateOf }: Awaited<ReturnType<typeof connectToBroker>>,
  tenants: ReadonlyMap<string, string>,
) =>
  async function carryOut(command: CommandOf<Commands>, context: CommandContext) {
    const { signal, redelivered, progress, remainingMs } = context;
    const { tenant_id, device_id: device } = command;
    if (tenants.get(device) !== tenant_id) throw new Rejected('UNKNOWN_DEVICE', 'The tenant has no device of this id.');
    const [name, parameter] = messageOf(command);
    if (redelivered && parameter === 'TOGGLE') {
      throw new OutcomeUnknown('SENT_TWICE', 'The device may have executed the command already.');
    }
    // An earlier process may have sent it: then nobody knows that the device did not execute it.
    const NotSent = redelivered ? OutcomeUnknown : Unreachable;
    if (stateOf(device) === 'offline') throw new NotSent('OFFLINE', 'The device is offline.');
    if (stateOf(device) !== 'ready') {
      // The answers come in the order of the messages: after this one, no earlier answer is on its way.
      const inTime = AbortSignal.timeout(Math.ceil(Math.max(remainingMs - BEFORE_DEADLINE_MS, remainingMs / 2, 0)));
      await ask(device, QUESTION, /^Topic$/, { signal: inTime, isRepeated: true }).catch(() => {
        throw new NotSent('SILENT', 'The device does not answer. The command was not sent.');
      });
    }
    // A device with several relays answers POWER with POWER1, and an unknown command with Command.
    const answer = await ask(device, [name, parameter], new RegExp(`^(${name}1?|Command)$`, 'i'), { signal });
    if (answer.Command === 'Unknown') throw new Unsupported('UNKNOWN_COMMAND', 'The device does not know the command.');
    if (Object.values(answer).includes('Error')) {
      void progress('DELIVERED');
      throw new Rejected('REFUSED', 'The device refused the command.');
    }
    return answer;
  };

function messageOf(command: CommandOf<Commands>): Message {
  switch (command.command_type) {
    case 'set_power':
      return ['POWER', command.payload.power.toUpperCase()];
    case 'set_dimmer':
      return ['Dimmer', String(command.payload.percent)];
    default:
      throw new Unsupported();
  }
}
