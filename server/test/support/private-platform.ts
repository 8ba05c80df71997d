import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { Profile } from '@tenant-open-platform/testing';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { type PrivateNats, startPrivateNats } from '@tenant-open-platform/testing/private-nats';
import { type PrivatePostgres, startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { type RunningServer, startServer } from '@tenant-open-platform/testing/start-server';
import type { Database } from '../../src/foundation/database/database.js';
import { openPool } from './open-pool.js';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

export type Run = { exitCode: number; stdout: string; stderr: string };

/** Runs `main.js` with these arguments until it exits. */
export const runMain = (args: string[], env: Record<string, string>): Promise<Run> =>
  new Promise((resolve, reject) => {
    const { PATH, HOME, TMPDIR } = process.env;
    execFile(process.execPath, [main, ...args], { env: { PATH, HOME, TMPDIR, ...env } }, (error, stdout, stderr) => {
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
  stop: () => Promise<void>;
};

/**
 * One server on a private Postgres and nats-server, for tests that must not disturb the servers shared by test files.
 */
export async function startPrivatePlatform(): Promise<PrivatePlatform> {
  const folder = mkdtempSync(join(tmpdir(), 'top-private-'));
  const [nats, postgres] = await Promise.all([startPrivateNats(), startPrivatePostgres()]);
  const environment = {
    DATA_DIR: folder,
    DATABASE_URL: postgres.url,
    KEYRING: JSON.stringify({ primary: 'test', keys: { test: randomBytes(32).toString('base64') } }),
    NATS_URL: nats.url,
    REQUESTS_PER_MINUTE: '1000000',
    FAILED_AUTHENTICATIONS_PER_MINUTE: '1000000',
  };
  // Reserved: no other test process takes it during a restart.
  const PORT = String(await freePort());
  const start = () => startServer({ ...environment, PORT });
  let server = await start();
  const connection = await connect({ servers: nats.url.replace('nats://', ''), maxReconnectAttempts: -1 });
  const database = openPool(postgres.url);
  const profile = (file: string): Profile => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  return {
    nats,
    postgres,
    streams: (await jetstreamManager(connection)).streams,
    client: jetstream(connection),
    database,
    admin: profile('platform-admin.json'),
    demo: profile('demo.json'),
    server: () => server,
    async restart() {
      await server.stop();
      server = await start();
    },
    startWorker: () => startServer({ ...environment, ROLE: 'worker' }),
    run: (...args) => runMain(args, environment),
    async stop() {
      await database.close();
      await server.stop();
      await connection.close();
      await Promise.all([nats.stop(), postgres.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
