import type { Group } from '../../commands.js';
import { integer } from '../../flags.js';
import type { Invocation } from '../../invocation.js';
import { readJsonObject } from '../../json-object.js';
import { acceptedCommandView } from '../../views.js';
import { printOutcome } from './print-outcome.js';

export function commandsCreate(group: Group, invocation: Invocation): void {
  group
    .command('create')
    .description('Send a command to a device. ACCEPTED does not mean that the device did it yet.')
    .option('--vendor <vendor>', 'the vendor of the device (required)')
    .option('--device-id <device_id>', "the device, in the vendor's naming (required)")
    .option('--command-type <command_type>', 'what to do: topctl catalog get lists them (required)')
    .option('--payload <json|@file|->', 'a JSON object, a file of it, or - for stdin', '{}')
    .option('--idempotency-key <key>', 'one key is one command, for ever; a new one unless given')
    .option('--timeout-seconds <seconds>', 'how long the command may take: 1 to 300', integer)
    .option('--wait', 'wait until it is final, and show it; exit code 8 unless it succeeded')
    .action(async (flags) => {
      const given = await invocation.fillIn(flags, ['vendor', 'deviceId', 'commandType']);
      const payload = await readJsonObject(invocation.context, '--payload', given.payload);
      const { client } = await invocation.connectToOwnTenant();
      const call = client.commands.create({
        vendor: given.vendor,
        device_id: given.deviceId,
        command_type: given.commandType,
        payload,
        idempotency_key: given.idempotencyKey,
        timeout_seconds: given.timeoutSeconds,
      });
      const { data, headers } = await call.withResponse();
      if (!given.wait) await invocation.printItem(data, acceptedCommandView);
      if (headers.get('idempotent-replayed') === 'true') {
        invocation.note('The idempotency key was used before: this is that command, nothing new was sent.');
      }
      if (given.wait) {
        invocation.note(`accepted as ${data.command_id}`);
        await printOutcome(invocation, client, data.command_id);
      }
    });
}
