import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { checkServerIdentity } from 'node:tls';
import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream';
import { fromSeed } from '@nats-io/nkeys';
import {
  AuthorizationError,
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  headers,
  InvalidArgumentError,
  type NatsConnection,
  nkeyAuthenticator,
  RequestError,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import {
  connectionOptions,
  HISTORY,
  MESSAGE_TOO_LARGE,
  SENT_AGAIN,
  SENT_TO,
  tlsOptions,
} from '@tenant-open-platform/contract/bus-access';
import type { Logger } from 'pino';
import { shared } from '../../foundation/concurrency/shared-reads.js';
import { StartupError } from '../../foundation/startup-error.js';
import { boundedLog, ONCE_A_MINUTE } from '../../foundation/telemetry/logger.js';
import {
  type Bus,
  isDurableOfTenant,
  type Message,
  type StreamName,
  streamSubjects,
  subjectsOfTenant,
  type Undeliverable,
} from './bus.js';
import { startReading } from './nats-consumer.js';
import { provideDurables } from './nats-durables.js';
import { natsReadings } from './nats-readings.js';
import { natsWitness } from './nats-witness.js';
import { countSingleCopies, ensureStreams, streamProblem } from './streams.js';

const UNREADY = 'the bus does not answer';
const ACK_WITHIN_MS = 5_000;
const CLOSE_WITHIN_MS = 2_000;
const JETSTREAM_WITHIN_MS = 10_000;
const PROBE_WITHIN_MS = 2_000;
const RETRY_AFTER_MS = 250;
const START_WITHIN_MS = 15_000;
const ATTEMPT_MS = 2_000;
const RESTORE_AFTER_MS = 1_000;

export type NatsOptions = {
  /** nats:// or tls:// URLs of one cluster, separated by commas. */
  url: string;
  credsFile?: string | undefined;
  nkeySeedFile?: string | undefined;
  /** The server must carry bodies of this size. */
  largestBodyBytes?: number;
  /** The copies of each stream; absent: three on a cluster. */
  replicas?: number | undefined;
  startWithinMs?: number;
};

/** The bus of several processes: NATS JetStream. The platform creates its streams and durables. */
export async function natsBus(options: NatsOptions, logger: Logger): Promise<Bus> {
  const seed = await readSeed(options);
  const connection = await connectToNats(options, seed);
  let isConnected = true;
  const untilLoss = new Set<(error: Error) => void>();
  void watch(connection, logger, (connected) => {
    isConnected = connected;
    if (!connected) for (const reject of untilLoss) reject(new Error(UNREADY));
  });
  const client = jetstream(connection, { timeout: ACK_WITHIN_MS });
  const manager = await waitForJetStream(() => startJetStream(connection, options)).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  const probing = await jetstreamManager(connection, { timeout: PROBE_WITHIN_MS, checkAPI: false });
  function requireConnection(): void {
    if (!isConnected) throw new Error(UNREADY);
  }
  const restored: (() => void)[] = [];
  /** A lost connection brings no acknowledgement. Reject at once, so that the sender soon repeats the lost messages. */
  const unlessLost = (sending: Promise<unknown>) =>
    new Promise<unknown>((resolve, reject) => {
      untilLoss.add(reject);
      void sending.then(resolve, reject).finally(() => untilLoss.delete(reject));
    });
  const restoreStreams = shared(
    async () => {
      // nats-server may still be removing the files of a deleted stream when it answers that the stream does not exist.
      await delay(RESTORE_AFTER_MS);
      await keepStreams();
    },
    { forMs: 0 },
  );
  async function keepStreams(): Promise<void> {
    if (await ensureStreams(manager, serverOf(connection, options))) for (const tell of restored) tell();
  }
  const singleCopies = async () => (isCluster(connection) ? countSingleCopies(probing) : 0);
  let warnedOf = 0;
  const readers: Awaited<ReturnType<typeof startReading>>[] = [];

  return {
    ...natsReadings({ manager, probing, requireConnection }),
    witness: natsWitness({ probing, client, requireConnection }),
    async publish(messages) {
      // Otherwise the client would buffer them, and send them long after the caller was told that they were not sent.
      requireConnection();
      const undeliverable: Undeliverable[] = [];
      const failures: Error[] = [];
      const send = (message: Message) =>
        client.publish(message.subject, message.body, optionsOf(message, connection)).catch((error: Error) => {
          if (isForGood(error)) undeliverable.push({ message, reason: error.message });
          else failures.push(error);
        });
      await unlessLost(Promise.all(messages.map(send)));
      const [first] = failures;
      if (!first) return undeliverable;
      if (failures.some(hasNoStream)) await restoreStreams().catch(() => {});
      throw new Error(`${failures.length} of ${messages.length} messages may not have reached the bus.`, {
        cause: first,
      });
    },
    async provide(durables) {
      requireConnection();
      try {
        return await provideDurables(manager, durables);
      } catch (error) {
        if (!isApiError(error, JetStreamApiCodes.StreamNotFound)) throw error;
        await restoreStreams();
        return provideDurables(manager, durables);
      }
    },
    async keepStreams() {
      await keepStreams();
      const streams = await singleCopies();
      if (streams > warnedOf) logger.warn({ streams }, SINGLE_COPIES);
      warnedOf = streams;
    },
    countSingleCopies: singleCopies,
    onRestored: (tell) => void restored.push(tell),
    ownPublicKey: publicKeyOf(seed),
    async forgetTenant(tenantId, { isDue, only = Object.keys(streamSubjects) as StreamName[] } = {}) {
      for (const name of only) {
        const { state } = await manager.streams.info(name);
        // Collected first: the list is read by offset, so a deletion meanwhile would hide the durables that move up.
        const durables: string[] = [];
        for await (const { name: durable } of manager.consumers.list(name)) durables.push(durable);
        if (isDue && !(await isDue())) return;
        for (const durable of durables.filter((one) => isDurableOfTenant(one, tenantId))) {
          await manager.consumers.delete(name, durable);
        }
        // Whatever happens meanwhile: a process may freeze, and the tenant come back.
        await manager.streams.purge(name, { filter: subjectsOfTenant(tenantId), seq: state.last_seq + 1 });
      }
      // It has come back meanwhile: its new durables may be deleted.
      if (isDue && !(await isDue())) for (const tell of restored) tell();
    },
    async consume(consumer) {
      const jetStream = { client, manager, probing, restoreStreams, logger };
      const reader = await waitForJetStream(() => startReading(jetStream, consumer));
      readers.push(reader);
      return reader;
    },
    deliveryProblem: () => readers.map(({ deliveryProblem }) => deliveryProblem()).find(Boolean) ?? null,
    unreadyReason: () => (isConnected ? null : UNREADY),
    streamProblem: async () => (isConnected ? streamProblem(probing) : null),
    async close() {
      if (isConnected) await Promise.race([connection.drain(), delay(CLOSE_WITHIN_MS, undefined, { ref: false })]);
      await connection.close();
    },
  };
}

function optionsOf({ id, traceparent, history, isSentAgain }: Message, { info }: NatsConnection) {
  const given = headers();
  if (traceparent) given.set('traceparent', traceparent);
  if (history) given.set(HISTORY, history);
  if (isSentAgain) given.set(SENT_AGAIN, 'true');
  // In a cluster, or behind a leaf node without JetStream, another server stores it.
  if (isSentAgain === false && info?.jetstream && !info.cluster) given.set(SENT_TO, info.server_id);
  return { msgID: id, headers: given };
}

const isApiError = (error: unknown, code: number) => error instanceof JetStreamApiError && error.code === code;

const hasNoStream = ({ cause }: Error) => cause instanceof RequestError && cause.isNoResponders();

/** Larger than nats-server carries or the stream keeps: a retry cannot help. */
const isForGood = (error: Error) => error instanceof InvalidArgumentError || isApiError(error, MESSAGE_TOO_LARGE);

const isCluster = ({ info }: NatsConnection) => info?.cluster !== undefined;

const serverOf = (nats: NatsConnection, { replicas }: NatsOptions) => {
  const [major = 0, minor = 0] = (nats.info?.version ?? '').split('.').map(Number);
  return { isCluster: isCluster(nats), replicas, canRaiseDurables: major > 2 || (major === 2 && minor >= 14) };
};

const SINGLE_COPIES =
  'streams of the NATS cluster have one copy, so the loss of one server stops them: set NATS_REPLICAS to 3, and see that three servers are up and have room';

async function startJetStream(connection: NatsConnection, options: NatsOptions): Promise<JetStreamManager> {
  const { largestBodyBytes = 0 } = options;
  const carried = connection.info?.max_payload ?? Number.POSITIVE_INFINITY;
  if (carried < largestBodyBytes) {
    throw new StartupError(
      `NATS carries messages of at most ${carried} bytes where the platform sends up to ${largestBodyBytes}: raise max_payload of nats-server, or lower PAYLOAD_LIMIT_BYTES.`,
    );
  }
  const manager = await jetstreamManager(connection);
  await ensureStreams(manager, serverOf(connection, options));
  return manager;
}

/** A cluster that has just started needs a moment to elect the leader that answers. */
const waitForJetStream = <Result>(start: () => Promise<Result>) =>
  repeatFor(JETSTREAM_WITHIN_MS, 'NATS answers, but JetStream does not', start);

/** A StartupError ends the attempts. */
async function repeatFor<Result>(ms: number, problem: string, attempt: () => Promise<Result>): Promise<Result> {
  const until = performance.now() + ms;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof StartupError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      if (performance.now() > until) throw new StartupError(`${problem}: ${reason}.`, { isTemporary: true });
      await delay(RETRY_AFTER_MS);
    }
  }
}

const REFUSED =
  'NATS refuses the platform: see NATS_NKEY_SEED_FILE, NATS_CREDS_FILE or the user in NATS_URL, and the accounts of nats-server';

async function watch(connection: NatsConnection, logger: Logger, tell: (isConnected: boolean) => void): Promise<void> {
  const log = boundedLog(logger, ONCE_A_MINUTE);
  let isUp = true;
  for await (const status of connection.status()) {
    if (status.type === 'close') tell(false);
    if (status.type === 'disconnect' || status.type === 'reconnect') {
      const isBack = status.type === 'reconnect';
      // While NATS refuses the platform, each attempt is one more disconnect.
      if (isBack !== isUp) logger.warn({ server: status.server }, `NATS: ${status.type}`);
      isUp = isBack;
      tell(isUp);
    }
    if (status.type === 'error') {
      const { error: err } = status;
      log('warn', err.message, { err }, err instanceof AuthorizationError ? REFUSED : 'NATS');
    }
  }
  tell(false);
}

/** Waits a bounded time for the first connection; from then on it reconnects forever. */
async function connectToNats(options: NatsOptions, seed: Buffer | undefined): Promise<NatsConnection> {
  const urls = options.url.split(',').map((url) => new URL(url.trim()));
  const authenticator = authenticatorOf(options, urls, seed);
  const settings = {
    name: 'tenant-open-platform',
    servers: urls.map(({ host }) => host),
    ...(authenticator && { authenticator }),
    ...(urls.some(({ protocol }) => protocol === 'tls:') && { tls: tlsOptions(checkServerIdentity) }),
    timeout: ATTEMPT_MS,
    ...connectionOptions,
  } satisfies ConnectionOptions;
  const hosts = settings.servers.join(', ');
  return repeatFor(options.startWithinMs ?? START_WITHIN_MS, `NATS does not answer at ${hosts}`, () =>
    connect(settings).catch((error: unknown) => {
      if (!(error instanceof AuthorizationError)) throw error;
      throw new StartupError(`NATS at ${hosts} refuses the platform: ${error.message}.`);
    }),
  );
}

/** The file with the private seed, alone or in a credentials file. */
const readSeed = async ({ credsFile, nkeySeedFile }: NatsOptions): Promise<Buffer | undefined> => {
  if (credsFile !== undefined) return readSecretFile('NATS_CREDS_FILE', credsFile);
  return nkeySeedFile === undefined ? undefined : readSecretFile('NATS_NKEY_SEED_FILE', nkeySeedFile);
};

/** Null for a file that the server will refuse. */
function publicKeyOf(seed: Buffer | undefined): string | null {
  const [found] = /\bSU[A-Z2-7]{56}\b/.exec(seed?.toString('utf8') ?? '') ?? [];
  return found === undefined ? null : fromSeed(new TextEncoder().encode(found)).getPublicKey();
}

/** Credentials come from the first URL or from a file. */
function authenticatorOf({ credsFile }: NatsOptions, [url]: readonly URL[], seed: Buffer | undefined) {
  if (seed) return credsFile ? credsAuthenticator(seed) : nkeyAuthenticator(seedBytes(seed));
  if (!url || url.username === '') return undefined;
  return usernamePasswordAuthenticator(decodeURIComponent(url.username), decodeURIComponent(url.password));
}

const seedBytes = (file: Buffer) => new TextEncoder().encode(file.toString('utf8').trim());

const readSecretFile = (variable: string, path: string) =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new StartupError(`${variable} ${path} cannot be read (${error.code}).`);
  });
