import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Logger } from 'pino';
import { createApp } from './app.js';
import { startBackground, startProvisioning } from './background.js';
import type { Config } from './config.js';
import type { Bus } from './platform/bus/bus.js';
import { inProcessBus } from './platform/bus/in-process-bus.js';
import { natsBus } from './platform/bus/nats-bus.js';
import { type Database, openDatabase } from './platform/database/database.js';
import { isMigrated } from './platform/database/migrate.js';
import { drainable } from './platform/http/drain.js';
import { createHttpServer } from './platform/http/http-server.js';
import { readBacklog } from './platform/outbox/backlog.js';
import { refuseForeignTransactionIds } from './platform/outbox/transaction-ids.js';
import { openKeyring } from './platform/secrets/open-keyring.js';
import { postgresSignals } from './platform/signals/postgres-signals.js';
import { localSignals, type Signals } from './platform/signals/signals.js';
import { StartupError } from './platform/startup-error.js';
import { createMetrics } from './platform/telemetry/metrics.js';
import { seedOnFirstStart } from './platform-administrator.js';
import { createRouter } from './router.js';
import { startSimulatedFleet } from './simulated-fleet.js';

/** Opens the database that the configuration names, and the keyring that belongs to it. */
export async function openStorage(config: Config) {
  const database = await openDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    embeddedDirectory: config.DATA_DIR,
  });
  try {
    await refuseForeignTransactionIds(database);
    return { database, keyring: await openKeyring(config, database) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The bus that the configuration names. */
export async function openBus(config: Config, logger: Logger): Promise<Bus> {
  if (!config.NATS_URL) return inProcessBus();
  return natsBus(
    {
      url: config.NATS_URL,
      credsFile: config.NATS_CREDS_FILE,
      nkeySeedFile: config.NATS_NKEY_SEED_FILE,
      largestBodyBytes: config.PAYLOAD_LIMIT_BYTES + BESIDE_THE_PAYLOAD_BYTES,
    },
    logger,
  );
}

/** What a message holds beside a payload or a result, at most. */
const BESIDE_THE_PAYLOAD_BYTES = 65_536;

export type Server = {
  baseUrl: string;
  /** True where this start made the first administrator. */
  isFirstStart: boolean;
  stop(): Promise<void>;
};

const openSignals = async (config: Config, database: Database, logger: Logger): Promise<Signals> =>
  config.DATABASE_URL ? postgresSignals(database.sql, logger) : localSignals();

/** Answers what is under way, for at most this long, before a stop cuts it off. */
const DRAIN_MS = 10_000;

/** Starts the platform: database, migrations, HTTP, and on a new platform the first credentials. */
export async function start(config: Config, logger: Logger): Promise<Server> {
  const bus = await openBus(config, logger);
  const { database, keyring } = await openStorage(config).catch(async (error: unknown) => {
    await bus.close();
    throw error;
  });
  let isStopping = false;
  const probes = {
    async unreadyReason() {
      if (isStopping) return 'stopping';
      try {
        return (await isMigrated(database.sql)) ? bus.unreadyReason() : 'migrations are missing';
      } catch {
        return 'the database does not answer';
      }
    },
  };
  const metrics = createMetrics({ readBacklog: () => readBacklog(database) });
  const signals = await openSignals(config, database, logger).catch(async (error: unknown) => {
    await Promise.all([bus.close(), database.close()]);
    throw error;
  });
  const router = createRouter(database, keyring, signals, config);
  const app = createApp({ config, database, keyring, router, logger, metrics, probes });
  const server = createHttpServer(app);
  const { drain } = drainable(server);
  try {
    const port = await listen(server, config);
    const baseUrl = baseUrlOf(config, port);
    const isFirstStart =
      config.MODE === 'development' &&
      (await seedOnFirstStart({ database, keyring, baseUrl }, path.resolve(config.DATA_DIR)));
    const carriesCommands = config.ROLE !== 'api';
    const background = carriesCommands ? await startBackground({ database, bus, signals, logger, metrics }) : null;
    const provisioning =
      carriesCommands && config.NATS_URL ? startProvisioning({ database, bus, signals, logger }) : null;
    const hasFleet = config.SIMULATED_FLEET ?? (config.MODE === 'development' && !config.NATS_URL);
    const fleet = carriesCommands && hasFleet ? await startSimulatedFleet(bus) : null;

    return {
      baseUrl,
      isFirstStart,
      async stop() {
        isStopping = true;
        await signals.close();
        await drain(DRAIN_MS);
        await fleet?.stop();
        await provisioning?.stop();
        await background?.stop();
        await bus.close();
        await database.close();
      },
    };
  } catch (error) {
    server.close();
    await bus.close();
    await database.close();
    throw error;
  }
}

/** An address of IPv6 stands in brackets (RFC 3986, 3.2.2). */
export function baseUrlOf({ HOST, BASE_PATH = '' }: Config, port: number): string {
  return `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}${BASE_PATH}`;
}

function listen(server: ReturnType<typeof createHttpServer>, { PORT, HOST }: Config): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE' ? 'is in use: stop what listens there, or set another PORT' : `(${error.code})`;
      reject(
        new StartupError(
          `Cannot listen on ${HOST} port ${PORT}: ${error.code === 'EADDRINUSE' ? `it ${reason}` : reason}.`,
        ),
      );
    });
    server.listen(PORT, HOST, () => resolve((server.address() as AddressInfo).port));
  });
}
