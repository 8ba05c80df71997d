import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { placeOfDatabases } from './at-end.js';
import type { Platform } from './platform.js';
import { type PrivateNats, startPrivateNats } from './private-nats.js';
import { makePostgresTemplate, type PrivatePostgres, startPrivatePostgres } from './private-postgres.js';
import type { Profile } from './profile.js';
import { newKeyring, unlimited } from './start-node.js';
import { type RunningServer, startServer } from './start-server.js';

/** The stores of the tests listen on this machine, without a certificate. */
const insecureStores = { ALLOW_INSECURE_OBJECT_ENDPOINTS: 'true' };

/**
 * Starts the servers of a project once for all its test files: one embedded server, or two on one Postgres and one
 * NATS.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(placeOfDatabases(), 'top-test-'));
  const servers: RunningServer[] = [];
  let postgres: PrivatePostgres | null = null;
  let nats: PrivateNats | null = null;
  let removeTemplate = () => {};
  const teardown = async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await Promise.all([postgres?.stop(), nats?.stop()]);
    removeTemplate();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    if (project.name === 'full') {
      removeTemplate = await makePostgresTemplate();
      postgres = await startPrivatePostgres();
      nats = await startPrivateNats();
    }
    const shared = {
      ...unlimited,
      ...insecureStores,
      ...(postgres && { DATABASE_URL: postgres.url, KEYRING: newKeyring() }),
      ...(nats && { NATS_URL: nats.url, SIMULATED_FLEET: 'true' }),
    };
    for (const node of postgres ? [0, 1] : [0]) {
      servers.push(await startServer({ ...shared, DATA_DIR: join(folder, `node-${node}`) }));
    }
    const profile = (file: string): Profile => JSON.parse(readFileSync(join(folder, 'node-0', file), 'utf8'));
    const platform: Platform = {
      nodes: servers.map((server) => server.baseUrl),
      admin: profile('platform-admin.json'),
      demo: profile('demo.json'),
      databaseUrl: postgres?.url ?? null,
      natsUrl: nats?.url ?? null,
    };
    project.provide('platform', platform);
  } catch (error) {
    await teardown();
    throw error;
  }
  return teardown;
}
