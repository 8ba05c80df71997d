import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import postgres from 'postgres';
import manifest from '../package.json' with { type: 'json' };
import { migrate } from '../src/foundation/database/migrate.js';
import { baseline } from '../test/support/baseline.js';
import { dumpSchema, schemaFile } from '../test/support/dump-schema.js';

/**
 * Writes the baseline of drizzle from its sources, and drizzle/schema.sql from a new Postgres that has all migrations. A
 * released baseline keeps its text.
 */
const drizzle = fileURLToPath(new URL('../drizzle', import.meta.url));
if (manifest.version === '0.0.0') {
  for (const [name, text] of Object.entries(baseline())) writeFileSync(join(drizzle, name), text);
}
const database = await startPrivatePostgres();
try {
  const sql = postgres(database.url, { max: 1, fetch_types: false, onnotice: () => {} });
  await migrate(sql, drizzle);
  await sql.end();
  writeFileSync(schemaFile, dumpSchema(database.url));
} finally {
  await database.stop();
}
