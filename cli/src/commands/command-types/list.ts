import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { commandTypeView } from '../../views.js';
import { allFlag, limitFlag, pageSize } from '../page-flags.js';

export function commandTypesList(group: Group, invocation: Invocation): void {
  group
    .command('list')
    .description('List all command types of a vendor, disabled ones included, newest first.')
    .argument('<vendor>', 'the vendor')
    .option(...limitFlag)
    .option(...allFlag)
    .action(async (vendor, flags) => {
      const { client } = await invocation.connect();
      const commandTypes = client.commandTypes.list(vendor, { limit: pageSize(flags) });
      await invocation.printItems(commandTypes, commandTypeView, flags);
    });
}
