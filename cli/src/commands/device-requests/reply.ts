import { Option } from '@commander-js/extra-typings';
import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { readJsonObject } from '../../json-object.js';
import { deviceRequestView } from '../../views.js';

export function deviceRequestsReply(group: Group, invocation: Invocation): void {
  group
    .command('reply')
    .description('Give the one reply to a request of a device. The first wins; the same again changes nothing.')
    .argument('<request_id>', 'the device request')
    .addOption(
      new Option('--outcome <outcome>', 'whether it is granted or refused (required)').choices(['SUCCESS', 'ERROR']),
    )
    .option('--payload <json|@file|->', 'what the device gets: a JSON object, a file of it, or - for stdin')
    .option('--error-code <code>', 'with ERROR: why, a word for programs; with --error-message')
    .option('--error-message <message>', 'with ERROR: why, a sentence for people; with --error-code')
    .action(async (deviceRequestId, flags) => {
      const { errorCode: code, errorMessage: message } = flags;
      if ((code === undefined) !== (message === undefined)) {
        throw invocation.usageError('--error-code and --error-message belong together');
      }
      const { outcome, payload } = await invocation.fillIn(flags, ['outcome']);
      const body = {
        outcome,
        payload: payload === undefined ? undefined : await readJsonObject(invocation.context, '--payload', payload),
        error: code === undefined || message === undefined ? undefined : { code, message },
      };
      const { client } = await invocation.connectToOwnTenant();
      await invocation.printItem(await client.deviceRequests.reply(deviceRequestId, body), deviceRequestView);
    });
}
