import type { z } from 'zod';
import { durables, inboxPrefix } from '../src/bus/durables.js';
import { MAX_MESSAGE_BYTES } from '../src/bus/limits.js';
import { CommandMessage, CommandUpdate, DeviceReplyMessage, DeviceRequestMessage } from '../src/bus/messages.js';
import { HISTORY, SENT_AGAIN, SENT_TO } from '../src/bus/nats.js';
import { API_PREFIX } from '../src/bus/permissions.js';
import { subjects } from '../src/bus/subjects.js';
import { eventTypes } from '../src/events.js';
import { PLATFORM_TENANT_ID } from '../src/scopes.js';
import { type DescribedEvent, describedEvents } from './described-events.js';
import { namedSchemas, referenceTo } from './schemas.js';

const info = {
  title: 'Tenant Open Platform: messaging bus',
  version: '1',
  license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
  tags: [
    { name: 'commands', description: 'Commands to devices, and the updates that adapters report.' },
    { name: 'device-requests', description: 'Requests from devices, and the replies to them.' },
    { name: 'events', description: 'Events of a tenant.' },
  ],
  description: `Messages between the platform and the adapters of vendors over NATS JetStream, and the events of tenants. \`send\` and \`receive\` are from the platform's point of view: it sends a command, and the adapter reads it.

Connect with the nkey of a registered principal. Configure your client with the inbox prefix \`${inboxPrefix('{public key}')}\` and the JetStream API prefix \`${API_PREFIX}\` (on a NATS server without accounts: \`$JS.API\`, and no nkey). The field \`x-nats-client\` of the server in this document has both prefixes. The platform creates the streams and, for each registered principal, its durable consumers: within a minute of busPrincipals.create. This is also true on a server without accounts. Do not create or list any. Pull messages from your durable consumer and acknowledge each message. A message without acknowledgement is delivered again after 6 seconds. If you need longer, send \`+WPI\` (in progress) every 2 seconds to restart this time. Pull only as many messages as you can start, because a pulled message counts as delivered.

A command begins when your adapter sends the first message to the device. A command that waits for its device, or for an earlier command of the device, has not begun. You may pull such a command. Send \`+WPI\` while it waits. When your process stops, return each command that has not begun with \`-NAK\`. It is delivered again.

A message is delivered again if the number of deliveries in its metadata (\`NumDelivered\` or \`deliveryCount\` in clients) is more than 1, or if it has the header ${SENT_AGAIN}. An earlier process, another reader or your own process may have executed it. NATS can lose this number when it is killed. So treat a message that NATS stored before your process began to read, or connected again, as delivered again too. Do the same if NATS stored it before \`created\` in the information on your durable consumer. There are two exceptions:

- It came over your present connection, its header ${SENT_TO} is the \`server_id\` in the INFO of this connection, and the information on your durable consumer has no \`cluster\`. Then NATS has run since the platform sent the message, and the number is right. Before 2.10.14 (\`version\` in INFO), nats-server can forget a delivery to a connection that is lost. There, this is only for messages that NATS stored after \`delivered.last_active\` of your durable consumer, as you read it when your process began to read or connected again. When your process begins to read, this is only for messages that NATS stored at most 60 seconds after \`delivered.last_active\` of your durable consumer. Without \`last_active\` there is no such message. An adapter may have read the other durable consumer since, and executed later messages. It is never for a message that NATS stored before \`created\`: a new durable consumer does not know what the one before has delivered.
- Your own records prove that its execution never began. They prove it if the only reader has written them before each execution, since before the platform accepted the command. If the message has no header ${SENT_AGAIN}, it is enough that they were complete when NATS stored it.

If your process stood still for more than 5 seconds, another process may have got the commands that it holds. Look at a monotonic clock before each start, and before you publish an end. Do not start a command whose last \`+WPI\` was longer ago: send neither \`+WPI\` nor \`-NAK\` for it. If such a command has begun, publish SUCCEEDED or FAILED of the device as it is, and every other end as TIMED_OUT of the device.

When your process starts, first end the commands that your records show as begun, because a redelivery can come after the deadline.

The clock of NATS is the property \`ts\` of the information on your durable consumer, which you may request. nats-server 2.9 has no such property: there, request the information when a message was delivered, and \`delivered.last_active\` is the time of this delivery, if your connection is still the same. Count from there with a monotonic clock. The time at which NATS stored a message is in its metadata.

| client | inbox prefix | JetStream API prefix |
|---|---|---|
| JavaScript, \`@nats-io/transport-node\` | \`connect({ inboxPrefix })\` | \`jetstream(connection, { apiPrefix })\` |
| Go, \`nats.go\` | \`nats.CustomInboxPrefix(prefix)\` | \`jetstream.NewWithAPIPrefix(connection, prefix)\` |
| Python, \`nats-py\` | \`nats.connect(inbox_prefix=prefix)\` | \`connection.jetstream(prefix=prefix)\` |
| Java, \`jnats\` | \`Options.builder().inboxPrefix(prefix)\` | \`JetStreamOptions.builder().prefix(prefix)\` |

Delivery is at least once in both directions: a message can arrive twice. Publish through JetStream and wait for the acknowledgement. If there is none, publish the message again: the platform processes a repeated message only once.

A message is JSON in UTF-8, without duplicate keys, and at most ${MAX_MESSAGE_BYTES / 1024} KiB. Send only listed properties. Ignore unknown properties.`,
};

const servers = {
  nats: {
    host: '127.0.0.1:4222',
    protocol: 'nats',
    description: 'NATS 2.9 or later with JetStream: the server that the platform uses (its setting NATS_URL).',
    security: [{ $ref: '#/components/securitySchemes/nkey' }],
    'x-nats-client': { inbox_prefix: inboxPrefix('{public key}'), jetstream_api_prefix: API_PREFIX },
  },
};

const securitySchemes = {
  nkey: {
    type: 'asymmetricEncryption',
    description:
      'Authentication by nkey: the client signs the nonce of the server with its Ed25519 seed. busPrincipals.create registers the public key, which begins with U.',
  },
};

const parameters = {
  tenant_id: { description: 'Tenant of the command, the device or the event.', examples: ['demo'] },
  vendor: { description: 'Vendor in the platform catalog.', examples: ['vendor_a'] },
  event_type: {
    description: 'Event type, for example `command.accepted`; its dot makes it two subject tokens.',
    enum: [...eventTypes],
  },
};

type Channel = {
  action: 'send' | 'receive';
  /** The JetStream stream that keeps the messages. */
  stream: 'TOP_COMMANDS' | 'TOP_UPDATES' | 'TOP_REPLIES' | 'TOP_EVENTS';
  /** The durable consumer that a principal reads, and the type of that principal. */
  durable?: { name: string; principal_type: 'SERVICE' | 'CLIENT' };
  parameter: Exclude<keyof typeof parameters, 'tenant_id'>;
  messages: readonly string[];
  summary: string;
  description: string;
};

const adapterReads = (stream: string) =>
  `The stream is \`${stream}\`. A SERVICE principal reads from the durable consumer \`${durables.adapter('{tenant_id}', '{vendor}')}\`. A SERVICE principal of the tenant \`${PLATFORM_TENANT_ID}\` reads from the durable consumer \`${durables.adapter(PLATFORM_TENANT_ID, '{vendor}')}\`, which has the messages of every tenant. Each of the two durable consumers gets every message of the tenant, so run only one of the two adapters.`;

const adapterDurable = { name: durables.adapter('{tenant_id}', '{vendor}'), principal_type: 'SERVICE' } as const;

type ChannelName = keyof typeof subjects;

/** Every subject of the bus has a channel. */
const channels: Record<ChannelName, Channel> = {
  command: {
    action: 'send',
    stream: 'TOP_COMMANDS',
    durable: adapterDurable,
    parameter: 'vendor',
    messages: ['CommandMessage'],
    summary: 'Send a command to the adapter of its vendor',
    description: `${adapterReads('TOP_COMMANDS')} The platform sends the commands of a tenant in the order in which it accepted them. The order is not guaranteed after a redelivery, or between several readers of a durable consumer. The commands of one device may overlap: the platform does not wait for an end before it sends the next one. Execute each command_id only once. Acknowledge a command after its end was published and acknowledged. If a command is delivered again, it may have been executed: ask the device, or send TIMED_OUT of the device. If your own records prove that its execution never began, execute it. If the device reports that it never received the command, an earlier message to the device may still arrive later. Send the command again only if it cannot arrive any more, or if the device executes each command_id only once. Otherwise send TIMED_OUT of the device. \`TOP_COMMANDS\` keeps a command for 10 minutes, whatever its deadline is. Terminate (\`+TERM\`) a message that you cannot read.`,
  },
  commandUpdate: {
    action: 'receive',
    stream: 'TOP_UPDATES',
    parameter: 'vendor',
    messages: ['CommandUpdate'],
    summary: 'Receive an update of a command from its adapter',
    description: `The stream is \`TOP_UPDATES\`. A command can have many updates. Give each update a Nats-Msg-Id of its own: a new UUID, or the command_id with the status and, if there is \`progress\`, its step. Never use the command_id alone. Two steps of one command within 100 ms need different ids. Publish the same update again under the same id. See the header Nats-Msg-Id.

| the adapter knows | it sends | the caller reads as public_status |
|---|---|---|
| the device executed the command | device_execution_status SUCCEEDED | SUCCEEDED |
| the device tried and failed, or refused | device_execution_status FAILED or REJECTED | FAILED |
| the device did not get the command | adapter_status REJECTED, UNSUPPORTED, UNREACHABLE or FAILED | FAILED |
| the device may have the command, and nothing more | device_execution_status TIMED_OUT | UNKNOWN |

The command_id and a known status always count. The platform omits other properties that it cannot keep and names them in status_reason: with the code RESULT_INVALID, or in the message if the update has a code of its own. It also stores the update as a parked message. The platform refuses an update without a command_id or a known status, for an unknown command, or for a command of another tenant or vendor. A refused update changes nothing and gets no response on the bus. It is stored as a parked message: see parkedMessages.list.

The first end of a command is final. A later end, also after the deadline, changes no status. The platform stores the first later end in late_result, so report an end even if it is late. The same end again changes nothing. Progress after an end changes no status.`,
  },
  deviceRequest: {
    action: 'receive',
    stream: 'TOP_UPDATES',
    parameter: 'vendor',
    messages: ['DeviceRequestMessage'],
    summary: 'Receive a request of a device from its adapter',
    description:
      'The stream is `TOP_UPDATES`. The platform ignores a repeated request of a device with the same dedupe_id. Use a new UUID as Nats-Msg-Id, not the dedupe_id alone: another tenant may use the same one.',
  },
  deviceReply: {
    action: 'send',
    stream: 'TOP_REPLIES',
    durable: adapterDurable,
    parameter: 'vendor',
    messages: ['DeviceReplyMessage'],
    summary: 'Send the reply to a device request to the adapter',
    description: `${adapterReads('TOP_REPLIES')} A device request has at most one reply.`,
  },
  event: {
    action: 'send',
    stream: 'TOP_EVENTS',
    durable: { name: durables.events('{tenant_id}', '{principal_id}'), principal_type: 'CLIENT' },
    parameter: 'event_type',
    messages: eventTypes,
    summary: 'Publish an event of a tenant',
    description: `The stream is \`TOP_EVENTS\`. It keeps events for 7 days. A CLIENT principal reads from the durable consumer \`${durables.events('{tenant_id}', '{principal_id}')}\`, which has every event that was logged while its tenant had a CLIENT principal that was not DELETED. Each command has exactly one event of each type. All copies of an event have the same event_id.`,
  },
};

const names = Object.keys(channels) as ChannelName[];

const headers = {
  type: 'object',
  properties: {
    'Nats-Msg-Id': {
      type: 'string',
      description:
        'Id of the message. A stream drops a message whose id it received before: within 10 minutes if the platform publishes to the stream, within 100 ms if adapters do (`TOP_UPDATES`). It compares the ids of all messages of the stream, also of other tenants and vendors, and acknowledges a message that it drops with `duplicate: true`. A new UUID for each message is always right. Keep the id when you publish the same message again. Do not use the bare dedupe_id or command_id. If the first acknowledgement of a message has `duplicate: true`, another message had its id: publish it under another id.',
    },
    [SENT_AGAIN]: {
      type: 'string',
      const: 'true',
      description:
        'The platform may have sent the command before: an adapter may have begun it. NATS may count this delivery as the first one.',
    },
    [SENT_TO]: {
      type: 'string',
      description:
        'The `server_id` of the NATS server to which the platform sent the command. Each start of a NATS server has another id. A command that the platform may have sent before has no such header, and no command has it on a cluster.',
      examples: ['NBZDVPNAMMDT4NNV5GNTT3DKVSG2DHQQ2IAGAOD7TVCDBJMPTTNFZGJ5'],
    },
    [HISTORY]: {
      type: 'string',
      description:
        'The history of the database that logged the event. It changes if the database was restored to an earlier time. Then events of the history before may not exist any more, and their commands may have other states. It is also another one on the NATS server of a platform to which the tenant has moved.',
      examples: ['b7c3e1f0'],
    },
    traceparent: {
      type: 'string',
      description:
        'Trace of the request that created the command, as in W3C Trace Context. Commands and events have it if the request belongs to a trace. An adapter copies it from the command to its updates.',
      examples: ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
    },
  },
};

/** The AsyncAPI description of the messaging bus, the content of asyncapi.json. */
function buildAsyncApi() {
  const messages = Object.fromEntries([
    message(CommandMessage, 'A command to execute', 'command_id'),
    message(CommandUpdate, 'Progress and result of a command', 'command_id'),
    message(DeviceRequestMessage, 'A request from a device', 'dedupe_id'),
    message(DeviceReplyMessage, 'The reply to a device request', 'dedupe_id'),
    ...describedEvents.map(eventMessage),
  ]);
  return {
    asyncapi: '3.0.0',
    info,
    servers,
    defaultContentType: 'application/json',
    channels: Object.fromEntries(names.map((name) => [name, channel(name)])),
    operations: Object.fromEntries(names.map(operation)),
    components: {
      schemas: nameParts({ ...namedSchemas({ messages, eventSchemas }), ...eventSchemas, Headers: headers }),
      messages,
      parameters,
      securitySchemes,
    },
  };
}

export const renderAsyncApi = (): string => `${JSON.stringify(buildAsyncApi(), null, 2)}\n`;

function channel(name: ChannelName) {
  const { parameter, messages, stream } = channels[name];
  return {
    address: subjects[name]('{tenant_id}', `{${parameter}}`),
    'x-nats-stream': stream,
    parameters: Object.fromEntries(
      ['tenant_id', parameter].map((key) => [key, { $ref: `#/components/parameters/${key}` }]),
    ),
    messages: Object.fromEntries(messages.map((key) => [key, { $ref: `#/components/messages/${key}` }])),
  };
}

function operation(name: ChannelName) {
  const { action, summary, description, durable } = channels[name];
  const key = `${action}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const bindings = { nats: { bindingVersion: '0.1.0' } };
  return [
    key,
    {
      action,
      channel: { $ref: `#/channels/${name}` },
      summary,
      description,
      ...(durable && { 'x-nats-durable': durable }),
      bindings,
    },
  ] as const;
}

function message(schema: z.ZodType, summary: string, correlatedBy: string) {
  const { id, example } = schema.meta() ?? {};
  if (!id || !example) throw new Error('the schema of every message has an id and an example');
  return describeMessage(id, { summary, correlatedBy, payload: { $ref: referenceTo(id) }, example });
}

function eventMessage({ type, summary, example }: DescribedEvent) {
  const payload = { $ref: referenceTo(nameOfEvent(type)) };
  return describeMessage(type, { summary, correlatedBy: 'data/command_id', payload, example });
}

const pascalCase = (text: string) => text.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());

const nameOfEvent = (type: string) => `${pascalCase(type)}Event`;

/** A message of a channel must match exactly one of its messages, so each one states its type. */
const eventSchemas = Object.fromEntries(
  describedEvents.map(({ type, summary }) => {
    const ofThisType = { type: 'object', properties: { event_type: { const: type, description: `${summary}.` } } };
    return [nameOfEvent(type), { allOf: [{ $ref: referenceTo('PlatformEvent') }, ofThisType] }];
  }),
);

type Schema = { [keyword: string]: unknown; properties?: Record<string, Schema> };

/** Gives the objects and enums within a schema a name: generators call a part without one AnonymousSchema_38. */
function nameParts(schemas: Record<string, Schema>): Record<string, Schema> {
  const named = Object.entries(schemas).flatMap(([name, schema]) => withParts(name, schema));
  return Object.fromEntries(named);
}

function withParts(name: string, { properties, ...schema }: Schema): [string, Schema][] {
  if (!properties) return [[name, schema]];
  const parts: [string, Schema][] = [];
  const own = Object.entries(properties).map(([key, property]): [string, Schema] => {
    if (!property.properties && !property.enum) return [key, property];
    const part = `${name}${pascalCase(key)}`;
    parts.push(...withParts(part, property));
    return [key, { $ref: referenceTo(part) }];
  });
  return [[name, { ...schema, properties: Object.fromEntries(own) }], ...parts];
}

type Described = { summary: string; correlatedBy: string; payload: object; example: unknown };

function describeMessage(name: string, { summary, correlatedBy, payload, example }: Described) {
  const described = {
    name,
    summary,
    correlationId: { location: `$message.payload#/${correlatedBy}` },
    headers: { $ref: referenceTo('Headers') },
    payload,
    examples: [{ payload: example }],
  };
  return [name, described] as const;
}
