import { describe, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from './at-end.js';
import { blocksOf, expectInOrder, guides, runPage } from './documentation-blocks.js';
import { startPrivateNats } from './private-nats.js';
import { postgresBinaries, startPrivatePostgres } from './private-postgres.js';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** The texts that a page prints, in this order, with its lines for curl, openssl, Python and Postgres. */
const prints: Record<string, string[]> = {
  'docs/backups.md': ['counts as restored'],
  'docs/deploying.md': ['"rewrapped": 1', '"key_id": "k1"', '"secrets": 0', '"key_id": "k2"', '"secrets": 1'],
  'docs/monitoring.md': ['top_outbox_unpublished'],
  'docs/postgres.md': ['"is_primary": true'],
  'docs/troubleshooting.md': ['Republished'],
  'docs/signing.md': ['"status": "ACCEPTED"'],
  'docs/upgrading.md': ['-- 0000_schema', 'CREATE TABLE'],
};

const data = temporaryFolder();

/** The environment of a node in production, with a new Postgres and NATS, and of a superuser of this Postgres. */
async function operatorEnvironment(): Promise<Record<string, string>> {
  const [postgres, nats] = await Promise.all([startPrivatePostgres(), startPrivateNats()]);
  onTestFinished(async () => {
    await Promise.all([postgres.stop(), nats.stop()]);
  });
  const { hostname, port, username, password } = new URL(postgres.superuserUrl);
  return {
    PATH: `${postgresBinaries()}:${process.env.PATH}`,
    PGHOST: hostname,
    PGPORT: port,
    PGUSER: username,
    PGPASSWORD: password,
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    DATA_DIR: data,
    MODE: 'production',
    KEYRING_FILE: 'keyring.json',
  };
}

const createKeyring = blocksOf('docs/deploying.md').find(({ marked }) => marked === 'run')?.code ?? '';
/** They have tests of their own, with other environments. */
const ownTests = [
  'docs/first-device.md',
  'docs/mqtt-devices.md',
  'docs/polling-devices.md',
  'docs/sleeping-devices.md',
  'docs/firmware-updates.md',
];
const pages = guides.filter(
  (page) => !ownTests.includes(page) && blocksOf(page).some(({ marked }) => marked === 'run-full'),
);

describe.each(pages)('%s', (page) => {
  test('pasted from top to bottom by an operator, prints what the page promises', async () => {
    const env = await operatorEnvironment();
    expectInOrder(await runPage(page, { marked: 'run-full', before: createKeyring, env }), prints[page]);
  });
});
