import type { Group } from '../../commands.js';
import { integer } from '../../flags.js';
import type { Invocation } from '../../invocation.js';
import { commandView } from '../../views.js';

export function commandsGet(group: Group, invocation: Invocation): void {
  group
    .command('get')
    .description('Show a command with its four statuses.')
    .argument('<command_id>', 'the command')
    .option('--wait-seconds <seconds>', 'wait until it is final, 0 to 30', integer)
    .option('--seen-updated-at <instant>', 'with --wait-seconds: wait until updated_at differs from this')
    .action(async (commandId, flags) => {
      const { client } = await invocation.connectToOwnTenant();
      const query = { wait_seconds: flags.waitSeconds, seen_updated_at: flags.seenUpdatedAt };
      await invocation.printItem(await client.commands.get(commandId, query), commandView);
    });
}
