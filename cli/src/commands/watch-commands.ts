import type { CommandListQuery, Command as CommandRecord, TenantOpenPlatform } from '@tenant-open-platform/sdk';
import { interruptible } from '../interruptible.js';
import type { Invocation } from '../invocation.js';
import type { Page, View } from '../output/render.js';
import { restored } from './events.js';

const shown = ['command_id', 'vendor', 'device_id', 'command_type', 'status', 'accepted_at'] as const;
type Seen = Pick<CommandRecord, (typeof shown)[number]>;

const view: View<Seen> = { id: ({ command_id }) => command_id, columns: shown };

/** Prints the commands of a list, the newest last, then a line whenever one is accepted or ends, until a signal. */
export const watchCommands = (
  invocation: Invocation,
  client: TenantOpenPlatform,
  query: CommandListQuery,
  { limit, all }: Page,
): Promise<void> =>
  interruptible(invocation.context, async (signal) => {
    const print = (command: Seen) => {
      const cells = shown.map((name) => command[name]);
      const item = Object.fromEntries(shown.map((name, index) => [name, cells[index]])) as Seen;
      return invocation.printLine(item, cells, view);
    };
    // Before the list, so that no event is missed.
    const { next_cursor: from } = await client.events.list({ from: 'now', limit: 1 }, { signal });
    const listed: CommandRecord[] = [];
    for await (const command of client.commands.list(query, { signal })) {
      listed.push(command);
      if (!all && listed.length === limit) break;
    }
    /** Whether a listed command had ended: an event from before is old. */
    const hadEnded = new Map(listed.map(({ command_id, completed_at }) => [command_id, completed_at !== null]));
    for (const command of query.order === 'asc' ? listed : listed.reverse()) await print(command);
    const onRestored = (at: string) => invocation.note(restored(at));
    for await (const { data, request } of client.events.follow({ from: from ?? 'now', signal, onRestored })) {
      const known = hadEnded.get(data.command_id);
      const isOld = known === true || (known === false && data.completed_at === null);
      if (!isOld && matches(query, { ...data, ...request })) await print(data);
    }
  });

type Told = Seen &
  Pick<CommandRecord, 'completed_at' | 'status_reason'> & { client_id: string; idempotency_key: string };

/** Applies the filters of the list to an event. Events tell neither the batch nor a late result. */
function matches(query: CommandListQuery, told: Told): boolean {
  const { status, is_final, vendor, device_id, command_type, idempotency_key, created_by_client_id } = query;
  const same = { vendor, device_id, command_type, idempotency_key, client_id: created_by_client_id };
  return (
    (status === undefined || (status as string[]).includes(told.status)) &&
    (is_final === undefined || is_final === (told.completed_at !== null)) &&
    query.has_late_result !== true &&
    Object.entries(same).every(([name, value]) => value === undefined || told[name as keyof Told] === value) &&
    (query.reason === undefined || told.status_reason?.code === query.reason) &&
    isBetween(told.accepted_at, query.accepted_after, query.accepted_before) &&
    isBetween(told.completed_at, query.completed_after, query.completed_before)
  );
}

function isBetween(at: string | null, after: string | undefined, before: string | undefined): boolean {
  if (after === undefined && before === undefined) return true;
  if (at === null) return false;
  const time = Date.parse(at);
  return (after === undefined || time >= Date.parse(after)) && (before === undefined || time < Date.parse(before));
}
