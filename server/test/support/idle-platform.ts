import { type Profile, startNode, type TestNode } from '@tenant-open-platform/testing';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';

export type IdlePlatform = {
  databaseUrl: string;
  superuserUrl: string;
  admin: Profile;
  demo: Profile;
  /** Of the server. */
  pid: number;
  /** Starts another server on the same database. */
  startBeside: (environment: Record<string, string>) => Promise<TestNode>;
};

/**
 * A private Postgres with a server that only answers requests, for the calling test or file (see `atEnd`). The test
 * itself does everything else.
 */
export async function startIdlePlatform(): Promise<IdlePlatform> {
  const postgres = await ownPostgres();
  const environment = { DATABASE_URL: postgres.url, REQUESTS_PER_MINUTE: '1000000' };
  const { admin, demo, process, folder } = await startNode({ ...environment, ROLE: 'api' });
  return {
    databaseUrl: postgres.url,
    superuserUrl: postgres.superuserUrl,
    admin,
    demo,
    pid: process.pid as number,
    startBeside: (own) => startNode({ ...environment, DATA_DIR: folder, ...own }),
  };
}
