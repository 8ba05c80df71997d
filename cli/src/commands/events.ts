import type { PlatformEvent } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addResource } from '../input/add-operation.js';
import { pageSize } from '../input/page.js';
import { instantOf, sinceField } from '../input/since.js';
import { interruptible } from '../interruptible.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';

/** A table shows the fields of `data` next to the fields of the event. */
const view: View<Pick<PlatformEvent, 'event_id' | 'occurred_at' | 'event_type'> & Partial<PlatformEvent['data']>> = {
  id: (event) => event.event_id,
  columns: ['occurred_at', 'event_type', 'command_id', 'device_id', 'status'],
};

export function addEvents(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'events');

  add('list', {
    summary: 'List events.',
    description:
      'Lists the events of the tenant, oldest first. With --wait-seconds, --all and -o ndjson or -o id it continues until you stop it. "topctl events tail" also continues after outages.',
    fields: {
      wait_seconds: { description: 'Wait up to this many seconds, 0 to 30, for an event. Default: 0.' },
    },
    flags: {
      cursor: {
        kind: 'text',
        description: 'Continue after the events of an earlier list with the same filters, which printed this cursor.',
      },
    },
    run: async ({ client, input: { cursor: start, ...filters }, page: { limit, all } }) => {
      // The other formats print at the end, and following a log has no end.
      const isStream = invocation.format === 'ndjson' || invocation.format === 'id';
      const follows = isStream && Boolean(filters.wait_seconds);

      /** A page never has more items than remain to print, so its cursor is the position of the next list. */
      async function* read() {
        let cursor = start;
        let left = all ? Number.POSITIVE_INFINITY : limit;
        for (let isLast = false; !isLast; ) {
          const page = await client.events.list({ ...filters, cursor, limit: pageSize({ limit: left, all: false }) });
          left -= page.items.length;
          if (page.restored_at) invocation.note(restored(page.restored_at));
          const advances = page.next_cursor !== cursor;
          if (!page.next_cursor)
            throw new Error('the list is incomplete: an answer has lost the cursor of the next page');
          if (page.items.length > 0 && !advances) throw new Error('the platform repeats a cursor: the list has no end');
          // A page without events whose cursor moved has read a part of the log that the filters exclude.
          const isSkipped = page.items.length === 0 && advances && (cursor !== undefined || !filters.wait_seconds);
          const hasEnded = page.items.length === 0 || Boolean(filters.wait_seconds);
          isLast = left === 0 || (!follows && hasEnded && !isSkipped);
          cursor = page.next_cursor;
          try {
            yield* page.items;
          } finally {
            if (isStream ? advances : isLast) invocation.note(`To continue from here: --cursor ${cursor}`);
          }
        }
      }

      await invocation.printItems(invocation.format === 'table' ? rowsOf(read()) : read(), view, { limit, all });
    },
  });
  add('list', {
    as: 'tail',
    examples: ['topctl events tail', 'topctl events tail --since 10m --event-type command.completed -o ndjson'],
    summary: 'Follow the event log.',
    description:
      'Prints a line for each new event until you stop it. It continues after outages of the platform. At the end it prints how to continue later.',
    isEndless: true,
    only: ['event_type', 'command_id'],
    flags: {
      from: {
        kind: 'text',
        description:
          'now, beginning, an instant such as 2026-01-31T09:30:00Z, or the cursor of an event. Default: now.',
      },
      since: sinceField,
    },
    check: ({ from, since }) =>
      from !== undefined && since !== undefined ? '--from and --since exclude each other' : undefined,
    run: async ({ client, input: { from = 'now', since, event_type, command_id } }) => {
      const { context } = invocation;
      let cursor: string | undefined;
      const start = since === undefined ? startOf(from, invocation) : await instantOf(invocation, client, since);
      await interruptible(context, async (signal) => {
        try {
          const onRestored = (at: string) => invocation.note(restored(at));
          for await (const event of client.events.follow({ from: start, event_type, command_id, signal, onRestored })) {
            await invocation.printLine(event, rowOf(event), view);
            cursor = event.cursor;
          }
        } finally {
          const filters = [event_type && ` --event-type ${event_type}`, command_id && ` --command-id ${command_id}`];
          if (cursor) {
            invocation.note(`To continue from here: topctl events tail --from ${cursor}${filters.join('')}`);
          }
        }
      });
    },
  });
}

export const restored = (at: string) =>
  `The database of the platform was restored at ${at}: some events that you have read before may not exist any more.`;

/** The cursor of an event is neither an instant nor one of the two words. */
function startOf(from: string, invocation: Invocation): Date | string {
  if (from === '') throw invocation.usageError('--from is empty');
  if (!/^\d{4}-\d{2}-\d{2}/.test(from)) return from;
  const instant = new Date(from);
  if (Number.isNaN(instant.getTime())) throw invocation.usageError(`--from ${from} is not an instant`);
  return instant;
}

const rowOf = ({ occurred_at, event_type, data }: PlatformEvent) => [
  occurred_at,
  event_type,
  data.command_id,
  data.device_id,
  data.status,
];

async function* rowsOf(events: AsyncIterable<PlatformEvent>) {
  for await (const event of events) yield { ...event, ...event.data };
}
