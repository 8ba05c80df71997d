import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { commandView } from '../../views.js';

export function commandsCancel(group: Group, invocation: Invocation): void {
  group
    .command('cancel')
    .description('Take back a command that was not handed to the adapter yet.')
    .argument('<command_id>', 'the command')
    .action(async (commandId) => {
      const { client } = await invocation.connectToOwnTenant();
      await invocation.printItem(await client.commands.cancel(commandId), commandView);
    });
}
