import type { JsMsg } from '@nats-io/jetstream';
import { durables, headerOf, SENT_AGAIN, subjects } from '@tenant-open-platform/contract/bus-access';
import { BusClock } from './bus-clock.js';
import { type AdapterCounters, type CommandHandler, noCounts, type Payloads } from './command-handler.js';
import { CommandRunner } from './command-runner.js';
import { type BusOptions, connectToBus, principalOf } from './connect.js';
import { type DeviceRequest, DeviceRequests, expiresInMsOf, problemOf } from './device-requests.js';
import { type AdapterLog, logToConsole, quietly, seldom } from './events.js';
import { readHandOver, writeHandOver } from './hand-over.js';
import type { CommandMessage, DeviceReplyMessage } from './messages.gen.js';
import { pause, until } from './pause.js';
import { type Message, publishUntilAcknowledged } from './publish.js';
import { Pulse } from './pulse.js';
import { startReading } from './read-durable.js';
import type { ReplyHandler } from './reply-runner.js';

export interface HandlerOptions<P extends Payloads> {
  /** Carries out a command. */
  onCommand: CommandHandler<P>;
  /** Delivers a reply that no `request()` of this process waits for. */
  onReply?: ReplyHandler | undefined;
  /**
   * How many handlers of commands run at once in this process, and how many of replies. Default: 4,096. A device takes a
   * place only while it has fewer than are free; so does a tenant, if the adapter serves every tenant. `limitCalls` limits
   * the calls to an API.
   */
  concurrency?: number | undefined;
  /**
   * Whether a device gets its commands one after the other, in the order of the platform, and so its replies. Other
   * processes of the same vendor do not know of it. Default: false.
   */
  onePerDevice?: boolean | undefined;
  /** Receives every event. Default: those from `info` on are written to standard error. */
  log?: AdapterLog | undefined;
}

export type VendorOptions<P extends Payloads = Record<string, Record<string, unknown>>> = HandlerOptions<P> & {
  /** The tenant of the principal. `platform` stands for every tenant. */
  tenantId: string;
  vendor: string;
} & (
    | (BusOptions & { buses?: undefined })
    | {
        /** The buses of several platforms, by names of your own, such as `{ eu: { servers, seedFile }, us: { … } }`. */
        buses: Readonly<Record<string, BusOptions>>;
      }
  );

export interface Adapter {
  /** A snapshot. */
  readonly counters: AdapterCounters;
  /**
   * Sends a request of a device. Resolves to the reply, or to null if nobody replied in time. While it waits, a second call
   * for the same device with the same `dedupe_id` sends no second request. Rejects if the request is too large, or if the
   * one that waits has another content.
   */
  request(request: DeviceRequest): Promise<DeviceReplyMessage | null>;
  /**
   * Takes no more commands, and gives back what has not begun: what waits for its turn, and what waits in `waitFor` for its
   * device. The next process starts that as new only with `handOverFile`; without it, `redelivered` is true. Resolves when
   * NATS has acknowledged the outcomes of the running ones; it does not wait for handlers that go on past their deadline.
   */
  stop(): Promise<void>;
}

/** A command that waits for its device costs little. */
export const DEFAULT_CONCURRENCY = 4_096;
/** A principal of this tenant serves every tenant. */
export const EVERY_TENANT = 'platform';

/**
 * Serves a vendor: runs the handler for each of its commands, and reports the outcomes. Resolves when it reads
 * commands. It waits without a time limit for NATS and for the durable, and rejects if NATS refuses the key. With
 * `buses` it resolves when it reads commands of one of them, and goes on trying the others, also one that refuses the
 * key or whose `seedFile` is missing. It rejects if the options of one of them can never be right.
 */
export function serveVendor<P extends Payloads = Record<string, Record<string, unknown>>>(
  options: VendorOptions<P>,
): Promise<Adapter> {
  return options.buses ? serveBuses(options, options.buses) : serveBus(options);
}

async function serveBuses<P extends Payloads>(
  options: HandlerOptions<P> & { tenantId: string; vendor: string },
  buses: Readonly<Record<string, BusOptions>>,
): Promise<Adapter> {
  const log = quietly(options.log ?? logToConsole);
  const counters = noCounts();
  const stopping = new AbortController();
  const { signal } = stopping;
  const { onCommand, onReply } = options;

  if (Object.keys(buses).length === 0) throw new TypeError('serveVendor: buses is empty.');
  for (const own of Object.values(buses)) {
    check({ ...options, ...own });
    await principalOf({ seed: own.seed });
  }

  async function keepTrying(bus: string, own: BusOptions): Promise<Adapter | undefined> {
    const logOfBus: AdapterLog = (event) => log({ ...event, bus });
    const complain = seldom(logOfBus);
    const optionsOfBus: SingleBus<P> = {
      ...options,
      ...own,
      log: logOfBus,
      // Not a copy: `redelivered` of the context can change.
      onCommand: (command, context) => onCommand(command, Object.assign(context, { bus })),
      onReply: onReply && ((reply, context) => onReply(reply, Object.assign(context, { bus }))),
    };
    while (!signal.aborted) {
      try {
        return await serveBus(optionsOfBus, counters, signal);
      } catch (error) {
        complain({ level: 'error', event: 'not-readable', message: `The bus ${bus} is not served.`, error });
        await pause(RETRY_MS, signal);
      }
    }
    return undefined;
  }

  const adapters = new Map(Object.entries(buses).map(([bus, own]) => [bus, keepTrying(bus, own)]));
  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    stopping.abort();
    await Promise.allSettled([...adapters.values()].map(async (adapter) => (await adapter)?.stop()));
  }
  await Promise.race(adapters.values());
  return {
    get counters() {
      return structuredClone(counters);
    },
    async request({ bus = '', ...request }) {
      if (!adapters.has(bus)) throw new TypeError('request: bus must be one of the names of `buses`.');
      const problem = problemOf(request);
      if (problem) throw new TypeError(`request: ${problem}`);
      const connected = new AbortController();
      const connecting = adapters.get(bus)?.finally(() => connected.abort());
      await pause(expiresInMsOf(request), connected.signal);
      const adapter = connected.signal.aborted ? await connecting : null;
      if (adapter === undefined) throw new Error('The adapter was stopped.');
      // The bus was never up. Nobody has seen the request.
      return adapter === null ? null : adapter.request(request);
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

const RETRY_MS = 1_000;

type SingleBus<P extends Payloads> = HandlerOptions<P> & BusOptions & { tenantId: string; vendor: string };

/** Refuses what can never be right. */
function check<P extends Payloads>({ servers, tenantId, vendor, concurrency = 1 }: SingleBus<P>): void {
  for (const [name, value] of Object.entries({ servers, tenantId, vendor })) {
    if (!value?.length) throw new TypeError(`serveVendor: ${name} is missing.`);
  }
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new TypeError('serveVendor: concurrency must be a whole number above 0.');
  }
}

async function serveBus<P extends Payloads>(
  options: SingleBus<P>,
  counters = noCounts(),
  signal?: AbortSignal,
): Promise<Adapter> {
  check(options);
  const { tenantId, vendor, concurrency = DEFAULT_CONCURRENCY, onePerDevice = false, onReply } = options;
  const log = quietly(options.log ?? logToConsole);
  const link = await connectToBus(options, `adapter ${tenantId} ${vendor}`, log, signal);
  const durable = durables.adapter(tenantId, vendor);

  const clock = new BusClock(log);
  const pulse = new Pulse(log);
  const earlier = options.handOverFile ? await readHandOver(options.handOverFile) : undefined;

  const complain = seldom(log);
  const publish = (message: Message, ids: object, signal?: AbortSignal) =>
    publishUntilAcknowledged(
      link,
      message,
      (error) => {
        counters.retried += 1;
        const text = `NATS has not acknowledged a message on ${message.subject}; it is published again.`;
        complain({ level: 'warn', event: 'publish-retried', message: text, ...ids, error });
      },
      signal,
    );

  const runner = new CommandRunner({
    onCommand: options.onCommand as unknown as CommandHandler,
    concurrency,
    onePerDevice,
    isShared: tenantId === EVERY_TENANT,
    counters,
    log,
    pulse,
    async report({ command: { command_id, tenant_id }, traceparent }, update, signal) {
      // The same update has the same id, however often it is published.
      const { progress, device_execution_status, adapter_status } = update();
      const step = progress ? ` ${progress.step}/${progress.of}` : '';
      const id = `${command_id} ${device_execution_status ?? adapter_status}${step}`;
      const subject = subjects.commandUpdate(tenant_id, vendor);
      try {
        const body = () => ({ command_id, ...update() });
        await publish({ subject, id, body, traceparent }, { command_id }, signal);
      } catch (error) {
        const message = `The update of ${command_id} is too large for NATS, and is not reported.`;
        log({ level: 'error', event: 'failed', message, command_id, error });
      }
    },
  });
  const requests = new DeviceRequests({
    onReply,
    concurrency,
    onePerDevice,
    isShared: tenantId === EVERY_TENANT,
    readReplies,
    log,
    pulse,
    publish: (tenantId, request, signal) =>
      publish(
        { subject: subjects.deviceRequest(tenantId, vendor), id: crypto.randomUUID(), body: () => request },
        { dedupe_id: request.dedupe_id },
        signal,
      ),
  });

  const commands = startReading(link, {
    stream: 'TOP_COMMANDS',
    durable,
    room: () => runner.room(),
    clock,
    earlier: earlier?.reading,
    log,
    pulse,
    take(message, { isNew, isCounted, isContinued }) {
      const command = read<CommandMessage>(
        message,
        ({ command_id, remaining_ms }) => command_id && remaining_ms !== undefined,
      );
      if (!command) return;
      // Without its signs of life, NATS has given the command to another process.
      const { reconnects } = link;
      const hasBeenAway = () => link.reconnects !== reconnects || !link.isConnected;
      const { deliveryCount } = message.info;
      // The process before had it last, and gave it back before it began.
      const isGivenBack = isContinued && earlier?.givenBack[command.command_id] === deliveryCount - 1;
      const isAgain = (message.redelivered && !isGivenBack) || headerOf(message, SENT_AGAIN) !== '';
      runner.take({
        command,
        leftMs: clock.leftOf(command.remaining_ms, message.time),
        count: deliveryCount,
        get redelivered() {
          return isAgain || !isNew || hasBeenAway();
        },
        get isFirst() {
          return isCounted && !isAgain && !hasBeenAway();
        },
        traceparent: headerOf(message, 'traceparent') || undefined,
        acknowledge: () => message.ack(),
        stillWorking: () => message.working(),
        giveBack: () => message.nak(),
      });
    },
  });
  let replies: ReturnType<typeof startReading> | undefined;
  /** Without a reader, replies cost nothing. So they are read from the first request on. */
  function readReplies(): void {
    replies ??= startReading(link, {
      stream: 'TOP_REPLIES',
      durable,
      room: () => requests.room(),
      clock,
      log,
      pulse,
      take(message) {
        const reply = read<DeviceReplyMessage>(
          message,
          ({ dedupe_id, remaining_ms }) => dedupe_id && remaining_ms !== undefined,
        );
        if (!reply) return;
        requests.take({
          tenantId: message.subject.split('.')[1] ?? tenantId,
          reply,
          leftMs: clock.leftOf(reply.remaining_ms, message.time),
          attempt: message.info.deliveryCount,
          acknowledge: () => message.ack(),
          stillWorking: () => message.working(),
          retry: (delayMs) => message.nak(delayMs),
        });
      },
    });
  }

  /** The platform publishes only valid messages. Someone else may have published on its subject. */
  function read<Message>(message: JsMsg, isComplete: (value: Message) => unknown): Message | undefined {
    try {
      const value = message.json<Message>();
      if (isComplete(value)) return value;
    } catch {}
    log({ level: 'error', event: 'invalid', message: `A message on ${message.subject} is not valid.` });
    message.term();
    return undefined;
  }
  if (onReply) readReplies();

  await until(commands.serving, signal);
  if (!signal?.aborted) log({ level: 'info', event: 'serving', message: `Serving ${vendor} for ${tenantId}.` });

  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    const repliesEnded = requests.giveBack();
    const reading = commands.reading();
    const givenBack = await runner.giveBack(commands.stop());
    // At once, and again at the end: the process may be killed meanwhile.
    await handOver();
    await runner.ended();
    await Promise.all([replies?.stop(), requests.stop(), repliesEnded, handOver()]);
    pulse.stop();
    await link.close();
    log({ level: 'info', event: 'stopped', message: `No longer serving ${vendor} for ${tenantId}.` });

    async function handOver(): Promise<void> {
      const { handOverFile } = options;
      if (!handOverFile || !reading || commands.reading()?.server !== reading.server) return;
      await writeHandOver(handOverFile, { reading, givenBack: Object.fromEntries(givenBack) }).catch((error) => {
        const message = `${handOverFile} cannot be written: the next process marks everything as redelivered.`;
        log({ level: 'warn', event: 'failed', message, error });
      });
    }
  }
  return {
    get counters() {
      return structuredClone(counters);
    },
    async request({ tenant_id = tenantId, ...request }) {
      if (tenant_id === EVERY_TENANT) throw new TypeError('request: tenant_id is missing.');
      return requests.send(tenant_id, request);
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}
