import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { catalogEntryView } from '../../views.js';

export function catalogGet(group: Group, invocation: Invocation): void {
  group
    .command('get')
    .description('Show the vendors and command types that commands can name. JSON output has the payload schemas.')
    .action(async () => {
      const { client } = await invocation.connectToOwnTenant();
      const catalog = await client.catalog.get();
      const entries = catalog.vendors.flatMap(({ vendor, command_types }) =>
        command_types.map((commandType) => ({ vendor, ...commandType })),
      );
      await invocation.printWhole(catalog, entries, catalogEntryView);
    });
}
