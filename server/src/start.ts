import type { AddressInfo, Server as NetServer } from 'node:net';
import path from 'node:path';
import type { Logger } from 'pino';
import { createApp } from './app.js';
import { startBackground } from './background.js';
import { type Config, platformVersion } from './config.js';
import { baseUrlOf, openBus, openStorage, simulatesDevices } from './engines.js';
import { holdOwnBus } from './foundation/database/embedded.js';
import { createPeers, type Peers } from './foundation/peers.js';
import { postgresSignals } from './foundation/signals/postgres-signals.js';
import { localSignals, topics } from './foundation/signals/signals.js';
import { StartupError } from './foundation/startup-error.js';
import { type BoundedLog, boundedLog, refusalLog } from './foundation/telemetry/logger.js';
import { createMetrics, type Metrics } from './foundation/telemetry/metrics.js';
import { createWatchdog } from './foundation/telemetry/watchdog.js';
import { createLastUses, startStoringUses } from './gateway/auth/last-uses.js';
import type { AtLimit } from './gateway/http/connections.js';
import { createHttpServer } from './gateway/http/http-server.js';
import { seedOnFirstStart } from './operator/platform-administrator.js';
import { createWaits, reportBacklog } from './pipeline/backlog.js';
import { type StreamName, streamSubjects, UPDATES_OF_ALL_TENANTS } from './pipeline/bus/bus.js';
import { startProvisioning } from './pipeline/provision-durables.js';
import { startSimulatedFleet } from './pipeline/simulated-fleet.js';
import { createWaitFor } from './pipeline/wait-for.js';
import { createReadiness } from './readiness.js';
import { createRouter } from './router.js';

export type Server = {
  baseUrl: string;
  /** The address of probes and metrics. */
  probesUrl: string;
  /** True if this start created the first administrator. */
  isFirstStart: boolean;
  stop(): Promise<void>;
};

/** A stop waits at most this long for requests in progress before it cuts them off. */
const DRAIN_MS = 10_000;

type Place = {
  /** The other processes of this start on this machine. */
  peers?: Peers;
  /** Whether this process accepts connections, or other processes do so for it. */
  listens?: boolean;
};

/** Resources in the order of their opening. They are closed in reverse order at a stop and after a failed start. */
type Closers = (() => Promise<unknown>)[];

/** Starts the platform: database, migrations, HTTP, and the first credentials of a new platform. */
export async function start(config: Config, logger: Logger, place: Place = {}): Promise<Server> {
  const closers: Closers = [];
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    return { ...(await open(config, logger, closers, place)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const ofStreams = (read: (stream: StreamName) => Promise<number>) =>
  Object.fromEntries(Object.keys(streamSubjects).map((stream) => [stream, () => read(stream as StreamName)]));

async function open(
  config: Config,
  logger: Logger,
  closers: Closers,
  { peers = createPeers(), listens = true }: Place,
): Promise<Omit<Server, 'stop'>> {
  const { database, keyring } = await openStorage(config);
  closers.push(() => database.close());
  // Creates and updates streams, so only once the database is accepted: a refused upgrade must leave NATS as it was.
  const bus = await openBus(config, logger);
  closers.push(() => bus.close());
  if (!config.DATABASE_URL && !config.NATS_URL) closers.push((await holdOwnBus(config.DATA_DIR)).release);
  const watchdog = createWatchdog();
  const readiness = createReadiness({ database, bus, watchdog, peers });
  const metrics = createMetrics({ watchdog, peers, version: platformVersion });
  metrics.addReadiness(readiness.ownReason);
  reportBacklog(database, metrics);
  metrics.addGauge(
    'top_bus_single_copies',
    'Streams of a NATS cluster that have one copy: the loss of its server stops them.',
    () => bus.countSingleCopies(),
  );
  metrics.addGauge(
    'top_updates_oldest_unhandled_seconds',
    'Seconds that the oldest unhandled update of a command has waited on the bus; 0 if there is none.',
    async () => {
      const oldest = await bus.oldestUntaken(UPDATES_OF_ALL_TENANTS);
      return oldest ? Math.max(0, (Date.now() - oldest.sentAt.getTime()) / 1_000) : 0;
    },
  );
  metrics.addGaugeOfStreams(
    'top_bus_stream_fill_ratio',
    'How full each stream is: 0 to 1. TOP_UPDATES refuses messages when it is full, the others drop their oldest.',
    ofStreams((stream) => bus.fullness(stream)),
  );
  metrics.addGaugeOfStreams(
    'top_bus_durables',
    'Durables of each stream of which a cluster of NATS keeps copies: about 2,000 in all are advised.',
    ofStreams((stream) => bus.countCopiedDurables(stream)),
  );
  metrics.addPool(database.sql.pool);
  const signals = config.DATABASE_URL
    ? await postgresSignals(database.sql, { logger, watchdog })
    : localSignals({ mayGetLost: false });
  closers.push(() => signals.close());
  database.onLeft?.(() => signals.send([topics.deletion, topics.busAccess, topics.deviceRequest]));
  const looping = { logger, signals, watchdog };
  // A failed look is made up for by the next connection.
  signals.listen(topics.generation, () => void database.generations.look().catch(() => {}));
  const waitFor = createWaitFor({ signals, database, perTenant: config.WAITING_REQUESTS_PER_TENANT, logger });
  const waits = createWaits(database);
  await waits.refresh();
  const router = createRouter({ database, bus, keyring, signals, waitFor, waits, metrics, config });
  const log = boundedLog(logger);
  const logRefusal = refusalLog(log);
  const lastUses = createLastUses(database);
  const app = createApp({ peers, config, database, keyring, lastUses, router, logger, logRefusal, metrics, readiness });
  const storing = startStoringUses(lastUses, looping);
  closers.push(() => storing.stop());
  const limits = { ...connectionLimits(config, log, metrics), logRefusal };
  const http = createHttpServer(app.serve, limits);
  closers.push(() => http.drain(0));
  const probesHttp = config.PROBES_PORT === undefined ? null : createHttpServer(app.serveProbes, limits);
  if (probesHttp) closers.push(() => probesHttp.drain(0));

  const port = listens ? await listen(http.server, config.HOST, config.PORT, 'PORT') : config.PORT;
  const baseUrl = baseUrlOf(config, port);
  const probesHost = config.PROBES_HOST ?? config.HOST;
  const probesPort =
    listens && probesHttp ? await listen(probesHttp.server, probesHost, config.PROBES_PORT ?? 0, 'PROBES_PORT') : null;
  const isFirstStart =
    listens &&
    config.MODE === 'development' &&
    (await seedOnFirstStart({ database, keyring, baseUrl, cell: config.CELL }, path.resolve(config.DATA_DIR)));
  if (config.ROLE !== 'api') {
    if (simulatesDevices(config)) {
      const fleet = await startSimulatedFleet(bus);
      closers.push(() => fleet.stop());
    }
    const background = await startBackground({ ...looping, database, bus, metrics, config });
    closers.push(() => background.stop());
    // The bus of a single process has no principals.
    const provisioning = config.NATS_URL ? startProvisioning(database, bus, looping) : undefined;
    closers.push(async () => provisioning?.stop());
    metrics.addGauge(
      'top_bus_durables_refused',
      'Durables of principals that NATS refuses: what they would read reaches nobody.',
      async () => provisioning?.refused() ?? 0,
    );
  }
  // First answer the waiting and running requests.
  closers.push(async () => {
    readiness.enter('stopping');
    await signals.close();
    await http.drain(DRAIN_MS);
  });
  readiness.enter('running');
  const probesUrl = probesPort === null ? baseUrl : baseUrlOf({ HOST: probesHost }, probesPort);
  return { baseUrl, probesUrl, isFirstStart };
}

/** The limits of connections, and how a connection at a limit is logged. */
const connectionLimits = (config: Config, log: BoundedLog, metrics: Metrics) => ({
  maxConnections: config.MAX_CONNECTIONS,
  // Behind a proxy every connection has the proxy's address.
  maxConnectionsPerNetwork: config.TRUST_PROXY > 0 ? config.MAX_CONNECTIONS : config.MAX_CONNECTIONS_PER_ADDRESS,
  reportLimit({ outcome, limit, address }: AtLimit) {
    metrics.countConnection(outcome, limit);
    const message = outcome === 'EVICTED' ? 'a connection made room for a new one' : 'a connection was refused';
    log('warn', `CONNECTION_${outcome}`, { limit, address }, message);
  },
});

function listen(server: NetServer, host: string, port: number, variable: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      const reason =
        code === 'EADDRINUSE' ? `it is in use: stop what listens there, or set another ${variable}` : `(${code})`;
      reject(new StartupError(`Cannot listen on ${host} port ${port}: ${reason}.`));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

const STOP_WITHIN_MS = 15_000;

export function stopAndExit(server: Server, logger: Logger): void {
  setTimeout(() => {
    logger.error('The stop took too long: Postgres or NATS does not answer.');
    process.exit(1);
  }, STOP_WITHIN_MS).unref();
  server.stop().then(
    () => process.exit(0),
    (error: unknown) => {
      logger.error({ err: error }, 'The stop was not clean.');
      process.exit(1);
    },
  );
}
