import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { PlatformEvent } from '@tenant-open-platform/contract';
import type { CommandMessage } from '@tenant-open-platform/contract/bus';
import { expect } from 'vitest';
import type { StreamName } from '../../src/pipeline/bus/bus.js';
import { storedEvents } from './stored.js';

/** The bodies of all messages on a stream, in order. */
async function read<Body>(natsUrl: string, stream: StreamName): Promise<Body[]> {
  const connection = await connect({ servers: natsUrl });
  const consumer = await jetstream(connection).consumers.get(stream);
  const bodies: Body[] = [];
  for (let { num_pending: left } = await consumer.info(); left > 0; ) {
    for await (const message of await consumer.fetch({ max_messages: 1_000, expires: 1_000 })) {
      bodies.push(message.json());
      left = message.info.pending;
    }
  }
  await connection.close();
  return bodies;
}

/**
 * The stream of events has each event of the log once and in order. The stream of commands has each command once, in
 * the order of the command.accepted events. Returns the ids of the commands. A cluster does not keep the order of
 * messages that are under way while a stream loses its leader.
 */
export async function expectStreamsAsStored(
  natsUrl: string,
  databaseUrl: string,
  { isCluster = false } = {},
): Promise<Set<string>> {
  const inOrder = isCluster ? (ids: string[]) => ids.toSorted() : (ids: string[]) => ids;
  const stored = await storedEvents(databaseUrl);
  const events = await read<PlatformEvent>(natsUrl, 'TOP_EVENTS');
  expectSame(inOrder(events.map(({ event_id }) => event_id)), inOrder(stored.map(({ event_id }) => event_id)));
  const commands = (await read<CommandMessage>(natsUrl, 'TOP_COMMANDS')).map(({ command_id }) => command_id);
  const sent = new Set(commands);
  const accepted = stored.flatMap(({ event_type, command_id }) =>
    event_type === 'command.accepted' && sent.has(command_id) ? [command_id] : [],
  );
  expectSame(inOrder(commands), inOrder(accepted));
  return sent;
}

/** Shows only the differences. */
function expectSame(found: string[], wanted: string[]): void {
  const [foundIds, wantedIds] = [new Set(found), new Set(wanted)];
  expect({
    missing: wanted.filter((id) => !foundIds.has(id)),
    foreign: found.filter((id) => !wantedIds.has(id)),
    repeated: found.length - foundIds.size,
    firstOutOfOrder: found.findIndex((id, index) => id !== wanted[index]),
  }).toEqual({ missing: [], foreign: [], repeated: 0, firstOutOfOrder: -1 });
}
