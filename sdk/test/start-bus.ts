import { randomUUID } from 'node:crypto';
import {
  AckPolicy,
  DiscardPolicy,
  type JetStreamPublishOptions,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  type StoredMsg,
} from '@nats-io/jetstream';
import { connect, headers, type NatsConnection, nanos } from '@nats-io/transport-node';
import { nextMillisecond } from '@tenant-open-platform/testing';
import { type PrivateNats, startPrivateNats } from '@tenant-open-platform/testing/private-nats';
import { expect, vi } from 'vitest';
import type { CommandMessage, CommandUpdate, DeviceReplyMessage, DeviceRequestMessage } from '../src/adapter.js';

export const tenantId = 'acme';
export const vendor = 'vendor_a';
const durable = `${tenantId}+${vendor}`;
/** A test that is slow ends before it. */
const LATER_MS = 600_000;

type Settings = {
  ackWaitMs?: number;
  replicas?: number;
  nats?: PrivateNats | undefined;
  /** Added to the configuration of nats-server. */
  configuration?: string;
  tls?: { caFile: string };
};

/** A nats-server with the streams and durables of the platform, and the platform's side of the messages. */
export async function startBus({
  // Longer than a machine stalls: what is in work is then delivered again only in tests that want it.
  ackWaitMs = 15_000,
  replicas = 1,
  nats: given,
  configuration = '',
  tls,
}: Settings = {}) {
  const nats = given ?? (await startPrivateNats(configuration));
  const connection = await connect({
    servers: nats.url.replace('nats://', ''),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    ...(tls && { tls }),
  });
  // With the default timeout of 5 seconds, calls fail while the machine stalls. Only calls that are repeated keep it.
  const impatient = await jetstreamManager(connection, { checkAPI: false });
  const patient = { timeout: 30_000 };
  const manager = await jetstreamManager(connection, { checkAPI: false, ...patient });
  const bus = jetstream(connection, patient);
  const stream = (name: string, kind: string, settings = {}, { streams } = manager) =>
    streams.add({
      name,
      subjects: kind.split(' ').map((part) => `tenants.*.${part}.*`),
      num_replicas: replicas,
      duplicate_window: nanos(600_000),
      ...settings,
    });
  const createCommands = (by = manager) => stream('TOP_COMMANDS', 'commands', {}, by);
  const createDurable = (name: string, { consumers } = manager) =>
    consumers.add(name, {
      durable_name: durable,
      filter_subject: `tenants.${tenantId}.${name === 'TOP_COMMANDS' ? 'commands' : 'device-replies'}.${vendor}`,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: -1,
    });
  async function create() {
    await createCommands(impatient);
    await stream('TOP_REPLIES', 'device-replies', {}, impatient);
    // As the platform's, except that messages stay to be read.
    const updates = { retention: RetentionPolicy.Limits, discard: DiscardPolicy.New, duplicate_window: nanos(100) };
    await stream('TOP_UPDATES', 'command-updates device-requests', updates, impatient);
    await createDurable('TOP_COMMANDS', impatient);
    await createDurable('TOP_REPLIES', impatient);
  }
  // The servers of a cluster elect a leader for each of them first. What exists is created again without an effect.
  await vi.waitFor(create, { timeout: 90_000, interval: 200 });

  async function messagesOn(subject: string) {
    const { streams } = manager;
    const { state } = await streams.info('TOP_UPDATES');
    const numbers = Array.from({ length: state.last_seq }, (_, index) => index + 1);
    const messages = await Promise.all(numbers.map((seq) => streams.getMessage('TOP_UPDATES', { seq })));
    return messages.flatMap((message) => (message?.subject === subject ? [message] : []));
  }

  return {
    nats,
    connection,
    manager,
    /** Resolves when NATS answers, over a connection that it may have lost. */
    async answers(): Promise<void> {
      await vi.waitFor(() => impatient.streams.info('TOP_COMMANDS'), { timeout: 90_000, interval: 50 });
    },
    /**
     * Resolves when an adapter has asked for commands twice more. What is sent then counts as sent after it began to
     * read, however slow the machine is: nats-server 2.9 tells its time only with a delivery.
     */
    async askedTwice(): Promise<void> {
      const asked = connection.subscribe('$JS.API.CONSUMER.MSG.NEXT.TOP_COMMANDS.*', { max: 2 });
      for await (const _ of asked);
      await nextMillisecond();
    },
    createCommands: () => createCommands(),
    consumer: () => bus.consumers.get('TOP_COMMANDS', durable),
    createDurable: () => createDurable('TOP_COMMANDS'),
    deleteDurable: () => manager.consumers.delete('TOP_COMMANDS', durable),
    /** Publishes new commands. The fields that a test does not need have values of their own. */
    async send(
      commands: Partial<CommandMessage>[],
      options: Partial<JetStreamPublishOptions> = { headers: sentTo(connection) },
    ): Promise<CommandMessage[]> {
      const complete = commands.map((command, index) =>
        withRemaining(command.deadline_at, {
          command_id: randomUUID(),
          tenant_id: tenantId,
          vendor,
          device_id: `d-${index}`,
          command_type: 'reboot',
          payload: {},
          accepted_at: new Date().toISOString(),
          deadline_at: new Date(Date.now() + LATER_MS).toISOString(),
          ...command,
        }),
      );
      await Promise.all(
        complete.map((command) =>
          bus.publish(`tenants.${command.tenant_id}.commands.${vendor}`, JSON.stringify(command), options),
        ),
      );
      return complete;
    },
    publish: (subject: string, body: string, msgID?: string) => bus.publish(subject, body, msgID ? { msgID } : {}),
    reply: (reply: Partial<DeviceReplyMessage>) =>
      bus.publish(
        `tenants.${tenantId}.device-replies.${vendor}`,
        JSON.stringify(withRemaining(reply.expires_at, reply)),
      ),
    /** Every update so far, as often as it was published, with its Nats-Msg-Id. */
    async publishedUpdates(): Promise<(CommandUpdate & { id: string })[]> {
      const messages = await messagesOn(`tenants.${tenantId}.command-updates.${vendor}`);
      return messages.map((message) => ({ ...message.json<CommandUpdate>(), id: idOf(message) }));
    },
    /** Every update so far, each once: an adapter publishes it again if it is not acknowledged within 2 seconds. */
    async updates(): Promise<CommandUpdate[]> {
      const messages = await messagesOn(`tenants.${tenantId}.command-updates.${vendor}`);
      return withoutRepeats(messages).map((message) => message.json<CommandUpdate>());
    },
    async requests(): Promise<DeviceRequestMessage[]> {
      const messages = await messagesOn(`tenants.${tenantId}.device-requests.${vendor}`);
      return withoutRepeats(messages).map((message) => message.json<DeviceRequestMessage>());
    },
    /** The Nats-Msg-Ids of the device requests. */
    async requestIds(): Promise<string[]> {
      return (await messagesOn(`tenants.${tenantId}.device-requests.${vendor}`)).map(idOf);
    },
    /**
     * Resolves when every message for the durable is acknowledged. Its own counts cannot tell: nats-server
     * acknowledges a published message a moment before the durable counts it as pending.
     */
    async allAcknowledged(name = 'TOP_COMMANDS'): Promise<void> {
      await vi.waitFor(
        async () => {
          const { config, ack_floor } = await impatient.consumers.info(name, durable);
          const last = await impatient.streams.getMessage(name, { last_by_subj: config.filter_subject ?? '' });
          expect(ack_floor.stream_seq).toBeGreaterThanOrEqual(last?.seq ?? 0);
        },
        { timeout: 90_000, interval: 50 },
      );
    },
    async stop() {
      await connection.close();
      await nats.stop();
    },
  };
}

/** As the platform marks a new command, unless NATS is a cluster. */
function sentTo({ info }: NatsConnection) {
  const given = headers();
  if (info && !info.cluster) given.set('Sent-To', info.server_id);
  return given;
}

const idOf = ({ header }: StoredMsg) => header.get('Nats-Msg-Id');

function withoutRepeats(messages: StoredMsg[]): StoredMsg[] {
  const first = new Map<string, StoredMsg>();
  for (const message of messages) if (!first.has(idOf(message))) first.set(idOf(message), message);
  return [...first.values()];
}

export type Bus = Awaited<ReturnType<typeof startBus>>;

/** As the platform publishes it: with the time that is left until then, by default ten minutes. Negative: it was late already. */
function withRemaining<Message extends object>(endsAt: string | undefined, message: Message) {
  const remaining_ms = endsAt === undefined ? LATER_MS : Date.parse(endsAt) - Date.now();
  return { remaining_ms, ...message };
}
