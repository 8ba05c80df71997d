import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { commandView } from '../../views.js';

export function commandsGet(group: Group, invocation: Invocation): void {
  group
    .command('get')
    .description('Show a command with its four statuses.')
    .argument('<command_id>', 'the command')
    .action(async (commandId) => {
      const { client } = await invocation.connectToOwnTenant();
      await invocation.printItem(await client.commands.get(commandId), commandView);
    });
}
