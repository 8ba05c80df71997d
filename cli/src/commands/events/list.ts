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
    .option('--cursor <cursor>', 'go on from where an earlier list with the same filters says that it stopped')
    .option(...limitFlag)
    .option(...allFlag)
    .action(async (flags) => {
      const { client } = await invocation.connectToOwnTenant();
      const filters = { event_type: flags.eventType, command_id: flags.commandId, wait_seconds: flags.waitSeconds };
      // The other formats print at the end, which a log that is followed does not have.
      const streams = invocation.format === 'ndjson' || invocation.format === 'id';
      const follows = streams && Boolean(flags.waitSeconds);

      /** No page is larger than what is still to be printed, so the cursor behind it is where to go on. */
      async function* read() {
        let { cursor } = flags;
        let left = flags.all ? Number.POSITIVE_INFINITY : flags.limit;
        for (let isLast = false; !isLast; ) {
          const page = await client.events.list({ ...filters, cursor, limit: pageSize({ limit: left }) });
          left -= page.items.length;
          isLast = left === 0 || (!follows && (page.items.length === 0 || Boolean(flags.waitSeconds)));
          const advances = page.next_cursor !== cursor;
          cursor = page.next_cursor ?? undefined;
          try {
            yield* page.items;
          } finally {
            if (streams ? advances : isLast) invocation.note(`to go on from here: --cursor ${cursor}`);
          }
        }
      }

      await invocation.printItems(invocation.format === 'table' ? rowsOf(read()) : read(), eventView, flags);
    });
}

async function* rowsOf(events: AsyncIterable<PlatformEvent>) {
  for await (const { data, ...event } of events) yield { ...event, ...data };
}
