import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { startServer } from '@tenant-open-platform/testing/start-server';
import { dumpSchema, schemaFile } from '../test/support/dump-schema.js';

/** Writes drizzle/schema.sql from a new Postgres that the built server has migrated. */
const folder = mkdtempSync(join(tmpdir(), 'top-golden-'));
const database = await startPrivatePostgres();
try {
  const keyring = JSON.stringify({ primary: 'golden', keys: { golden: Buffer.alloc(32).toString('base64') } });
  const server = await startServer({ DATA_DIR: folder, DATABASE_URL: database.url, KEYRING: keyring });
  await server.stop();
  writeFileSync(schemaFile, dumpSchema(database.url));
} finally {
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}
