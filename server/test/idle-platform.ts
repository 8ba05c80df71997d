import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Profile } from '@tenant-open-platform/testing';
import { startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { startServer } from '@tenant-open-platform/testing/start-server';

export type IdlePlatform = {
  databaseUrl: string;
  superuserUrl: string;
  demo: Profile;
  stop: () => Promise<void>;
};

/** A Postgres of a test's own, and a server that only answers requests: all else that happens there the test does. */
export async function startIdlePlatform(): Promise<IdlePlatform> {
  const folder = mkdtempSync(join(tmpdir(), 'top-idle-'));
  const postgres = await startPrivatePostgres();
  const server = await startServer({
    DATA_DIR: folder,
    DATABASE_URL: postgres.url,
    KEYRING: JSON.stringify({ primary: 'test', keys: { test: randomBytes(32).toString('base64') } }),
    REQUESTS_PER_MINUTE: '1000000',
    ROLE: 'api',
  });
  return {
    databaseUrl: postgres.url,
    superuserUrl: postgres.superuserUrl,
    demo: JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')),
    async stop() {
      await server.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
