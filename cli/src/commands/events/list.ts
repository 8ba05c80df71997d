import { Option } from '@commander-js/extra-typings';
import type { PlatformEvent } from '@tenant-open-platform/sdk';
import type { Group } from '../../commands.js';
import { integer } from '../../flags.js';
import type { Invocation } from '../../invocation.js';
import { eventView } from '../../views.js';
import { allFlag, limitFlag, pageSize } from '../page-flags.js';

export function eventsList(group: Group, invocation: Invocation): void {
  group
    .command('list')
    .description("List the events of the credential's tenant, oldest first.")
    .addOption(
      new Option('--event-type <event_type>', 'only events of this type').choices([
        'command.accepted',
        'command.completed',
      ]),
    )
    .option('--command-id <command_id>', 'only events of this command')
    .option(
      '--wait-seconds <seconds>',
      'wait until there is one, 0 to 30; with -o ndjson or id, follow the log',
      integer,
    )
    .option(...limitFlag)
    .option(...allFlag)
    .action(async (flags) => {
      const { client } = await invocation.connectToOwnTenant();
      const events = client.events.list({
        limit: pageSize(flags),
        event_type: flags.eventType,
        command_id: flags.commandId,
        wait_seconds: flags.waitSeconds,
      });
      // The other formats print at the end, which a log that is followed does not have.
      const follows = invocation.format === 'ndjson' || invocation.format === 'id';
      const items = flags.waitSeconds && !follows ? (await events).items : events;
      await invocation.printItems(invocation.format === 'table' ? rowsOf(items) : items, eventView, flags);
    });
}

async function* rowsOf(events: AsyncIterable<PlatformEvent> | Iterable<PlatformEvent>) {
  for await (const { data, ...event } of events) yield { ...event, ...data };
}
