import { AckPolicy, jetstreamManager } from '@nats-io/jetstream';
import { connect, type Msg } from '@nats-io/transport-node';
import { durables, subjects } from '@tenant-open-platform/contract/bus';
import { type FetchInit, TenantOpenPlatform } from '@tenant-open-platform/sdk';
import { serveVendor } from '@tenant-open-platform/sdk/adapter';
import { atEnd, startNode } from '@tenant-open-platform/testing';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { expect, onTestFinished, test, vi } from 'vitest';
import { registerEventReader } from '../../../test/support/new-principal.js';

const within = { timeout: 60_000, interval: 50 };
const command = { vendor: 'vendor_a', device_id: 'd-1', command_type: 'reboot', payload: {} } as const;

/** A server, an adapter of the kit for its tenant `demo`, and all messages on the bus. */
async function setUp(environment: Record<string, string> = {}) {
  const nats = await ownNats();
  const server = await startNode({ NATS_URL: nats.url, ...environment });
  const { demo } = server;
  await registerEventReader(server.admin);
  const connection = await connect({ servers: nats.url });
  atEnd(() => connection.close());
  const messages: Msg[] = [];
  connection.subscribe('tenants.demo.>', { callback: (_error, message) => void messages.push(message) });
  await connection.flush();
  // As the platform creates it within a minute for an adapter that is registered.
  await (await jetstreamManager(connection)).consumers.add('TOP_COMMANDS', {
    durable_name: durables.adapter('demo', 'vendor_a'),
    filter_subject: subjects.command('demo', 'vendor_a'),
    ack_policy: AckPolicy.Explicit,
  });
  const seenByAdapter: (string | undefined)[] = [];
  const adapter = await serveVendor({
    servers: nats.url,
    tenantId: 'demo',
    vendor: 'vendor_a',
    log() {},
    async onCommand(_command, { traceparent }) {
      seenByAdapter.push(traceparent);
    },
  });
  onTestFinished(() => adapter.stop());

  /** Sends a command below this span, and waits for its outcome and its last event. */
  async function send(traceparent: string | undefined) {
    const { base_url, client_id, secret } = demo;
    const client = new TenantOpenPlatform({
      baseUrl: base_url,
      clientId: client_id,
      secret,
      fetch: (url: string, init: FetchInit) =>
        fetch(url, { ...init, headers: { ...init.headers, ...(traceparent && { traceparent }) } }),
    });
    const { command_id } = await client.commands.create({ ...command, idempotency_key: crypto.randomUUID() });
    const completed = (message: Msg) =>
      message.subject.endsWith('command.completed') && message.string().includes(command_id);
    await vi.waitFor(() => expect(messages.some(completed)).toBe(true), within);
    const ofCommand = messages.filter((message) => message.string().includes(command_id));
    return ofCommand.map(({ subject, headers }) => ({
      kind: subject.split('.').slice(2).join('.'),
      traceparent: headers?.get('traceparent'),
    }));
  }
  return { server, send, seenByAdapter };
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const GIVEN = `00-${TRACE}-${CALLER}-01`;

test('without an SDK, the traceparent of a request is in its messages, in those of the adapter, and in the log', async () => {
  const { server, send, seenByAdapter } = await setUp();
  const of = (traceparent: string) =>
    expect.toSatisfy((messages: { kind: string; traceparent: string }[]) => {
      expect(new Set(messages.map((message) => message.kind))).toEqual(
        new Set([
          'commands.vendor_a',
          'command-updates.vendor_a',
          'events.command.accepted',
          'events.command.completed',
        ]),
      );
      expect(new Set(messages.map((message) => message.traceparent))).toEqual(new Set([traceparent]));
      return true;
    });
  expect(await send(GIVEN)).toEqual(of(GIVEN));
  expect(await send(undefined)).toEqual(of(''));
  expect(await send(`${GIVEN}-more`)).toEqual(of(''));

  expect(seenByAdapter).toEqual([GIVEN, undefined, undefined]);

  await fetch(`${server.baseUrl}/api/v1/open/me`, { headers: { traceparent: GIVEN } });
  await vi.waitFor(() => {
    const lines = server
      .stderr()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ msg: 'refused', trace_id: TRACE, path: '/api/v1/open/me' }),
    );
  }, within);
});

/** The kinds of spans, as OpenTelemetry numbers them. */
const SERVER = 1;
const PRODUCER = 3;
const CONSUMER = 4;

type Span = { name: string; kind: number; traceId: string; spanId: string; parentId?: string };

test('with the SDK of OpenTelemetry, one trace leads from the caller through request, command, adapter and update to the events', async () => {
  const preload = new URL('../../../test/support/tracing.mjs', import.meta.url);
  const { server, send, seenByAdapter } = await setUp({ NODE_OPTIONS: `--import=${preload}` });
  const all: Span[] = [];
  server.process.on('message', (message: { type: string; span: Span }) => {
    if (message.type === 'span') all.push(message.span);
  });
  const messages = await send(GIVEN);
  const inTrace = () => all.filter(({ traceId }) => traceId === TRACE);
  await vi.waitFor(() => expect(inTrace()).toHaveLength(5), within);

  const [request, published, handled, ...events] = [
    'commands.create',
    'publish commands',
    'process command-updates',
    'publish events',
  ].flatMap((name) => inTrace().filter((span) => span.name === name)) as [Span, Span, Span, ...Span[]];
  expect(request).toMatchObject({ name: 'commands.create', kind: SERVER, parentId: CALLER });
  expect(published).toMatchObject({ name: 'publish commands', kind: PRODUCER, parentId: request.spanId });
  expect(handled).toMatchObject({ name: 'process command-updates', kind: CONSUMER, parentId: published.spanId });
  expect(events).toHaveLength(2);
  for (const event of events) expect(event).toMatchObject({ kind: PRODUCER, parentId: request.spanId });

  const below = ({ spanId }: Span) => `00-${TRACE}-${spanId}-01`;
  const sent = (of: string) => messages.filter(({ kind }) => kind.startsWith(of)).map((message) => message.traceparent);
  expect(sent('commands.')).toEqual([below(published)]);
  expect(seenByAdapter).toEqual([below(published)]);
  expect(sent('command-updates.')).toEqual([below(published)]);
  expect(sent('events.').sort()).toEqual(events.map(below).sort());
});
