import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { atEnd, newKeyring, type Profile, startNode, temporaryFolder, unlimited } from '@tenant-open-platform/testing';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { ownNats, type PrivateNats } from '@tenant-open-platform/testing/private-nats';
import { ownPostgres, type PrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { type RunningServer, startServer } from '@tenant-open-platform/testing/start-server';
import type { Database } from '../../src/foundation/database/database.js';
import { openPool } from './open-pool.js';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

export type Run = { exitCode: number; stdout: string; stderr: string };

/** Runs `main.js`, of this build or of `program`, with these arguments until it exits. */
export const runMain = (args: string[], env: Record<string, string>, program = main): Promise<Run> =>
  new Promise((resolve, reject) => {
    const { PATH, HOME, TMPDIR } = process.env;
    execFile(process.execPath, [program, ...args], { env: { PATH, HOME, TMPDIR, ...env } }, (error, stdout, stderr) => {
      if (error && typeof error.code !== 'number') reject(error);
      else resolve({ exitCode: Number(error?.code ?? 0), stdout, stderr });
    });
  });

export type PrivatePlatform = {
  nats: PrivateNats;
  postgres: PrivatePostgres;
  /** The platform's own view of its streams. */
  streams: JetStreamManager['streams'];
  client: JetStreamClient;
  database: Database;
  admin: Profile;
  demo: Profile;
  server: () => RunningServer;
  restart: () => Promise<void>;
  /** Starts a worker: another process, which answers no requests. */
  startWorker: () => Promise<RunningServer>;
  run: (...args: string[]) => Promise<Run>;
};

/**
 * One server on a private Postgres and nats-server for the calling test or file (see `atEnd`): for tests that must not
 * disturb the servers shared by test files.
 */
export async function startPrivatePlatform(): Promise<PrivatePlatform> {
  const [nats, postgres] = await Promise.all([ownNats(), ownPostgres()]);
  const environment = {
    ...unlimited,
    DATA_DIR: temporaryFolder(),
    DATABASE_URL: postgres.url,
    KEYRING: newKeyring(),
    NATS_URL: nats.url,
  };
  // Reserved: no other test process takes it during a restart.
  const PORT = String(await freePort());
  const first = await startNode({ ...environment, PORT });
  let server: RunningServer = first;
  atEnd(() => server.stop());
  const connection = await connect({ servers: nats.url.replace('nats://', ''), maxReconnectAttempts: -1 });
  atEnd(() => connection.close());
  return {
    nats,
    postgres,
    // Shorter than tests wait: a request that NATS loses as it is killed is made again.
    streams: (await jetstreamManager(connection, { timeout: 15_000 })).streams,
    client: jetstream(connection, { timeout: 15_000 }),
    database: openPool(postgres.url),
    admin: first.admin,
    demo: first.demo,
    server: () => server,
    async restart() {
      await server.stop();
      server = await startServer({ ...environment, PORT });
    },
    startWorker: () => startServer({ ...environment, ROLE: 'worker' }),
    run: (...args) => runMain(args, environment),
  };
}
