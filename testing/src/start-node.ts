import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { atEnd, databaseFolder } from './at-end.js';
import type { Profile } from './profile.js';
import { type RunningServer, startServer } from './start-server.js';

export const unlimited = { REQUESTS_PER_MINUTE: '1000000', FAILED_AUTHENTICATIONS_PER_MINUTE: '1000000' };

/** A key that no other keyring has. */
export const newKeyring = (): string =>
  JSON.stringify({ primary: 'test', keys: { test: randomBytes(32).toString('base64') } });

const keyring = newKeyring();

export type TestNode = RunningServer & {
  /** Its DATA_DIR. */
  folder: string;
  /** The callers that its first start created. */
  admin: Profile;
  demo: Profile;
};

/**
 * A node of the calling test or file. See `atEnd`. Without a DATA_DIR it has a folder of its own. All nodes on a
 * Postgres share a keyring unless they are given one.
 */
export async function startNode(environment: Record<string, string> = {}, main?: string): Promise<TestNode> {
  const { DATA_DIR: folder = databaseFolder(), DATABASE_URL, KEYRING_FILE } = environment;
  const defaults = DATABASE_URL !== undefined && KEYRING_FILE === undefined && { KEYRING: keyring };
  const server = await startServer({ ...defaults, ...environment, DATA_DIR: folder }, main);
  atEnd(server.stop);
  const profile = (file: string): Profile => ({
    ...JSON.parse(readFileSync(join(folder, file), 'utf8')),
    base_url: server.baseUrl,
  });
  return {
    ...server,
    folder,
    get admin() {
      return profile('platform-admin.json');
    },
    get demo() {
      return profile('demo.json');
    },
  };
}
