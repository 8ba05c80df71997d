import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Profile } from '@tenant-open-platform/testing';
import { startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { type RunningServer, startServer } from '@tenant-open-platform/testing/start-server';

export type IdlePlatform = {
  databaseUrl: string;
  superuserUrl: string;
  admin: Profile;
  demo: Profile;
  /** Of the server. */
  pid: number;
  /** Starts another server on the same database. The caller stops it. */
  startBeside: (environment: Record<string, string>) => Promise<RunningServer>;
  stop: () => Promise<void>;
};

/** A private Postgres with a server that only answers requests. The test itself does everything else. */
export async function startIdlePlatform(): Promise<IdlePlatform> {
  const folder = mkdtempSync(join(tmpdir(), 'top-idle-'));
  const postgres = await startPrivatePostgres();
  const environment = {
    DATA_DIR: folder,
    DATABASE_URL: postgres.url,
    KEYRING: JSON.stringify({ primary: 'test', keys: { test: randomBytes(32).toString('base64') } }),
    REQUESTS_PER_MINUTE: '1000000',
  };
  const server = await startServer({ ...environment, ROLE: 'api' });
  const profile = (file: string): Profile => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  return {
    databaseUrl: postgres.url,
    superuserUrl: postgres.superuserUrl,
    admin: profile('platform-admin.json'),
    demo: profile('demo.json'),
    pid: server.process.pid as number,
    startBeside: (own) => startServer({ ...environment, ...own }),
    async stop() {
      await server.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
