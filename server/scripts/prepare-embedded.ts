import { chmod, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import postgres from 'postgres';
import { KEEP_FOLDER } from '../src/foundation/database/embedded.js';
import { serveSessions } from '../src/foundation/database/embedded-sessions.js';
import { migrate } from '../src/foundation/database/migrate.js';

/**
 * Run by the build. Creates a database with every migration and nothing else: it holds no key and no secret. A first
 * start copies it.
 */
const dist = import.meta.dirname;
const files = path.join(dist, 'embedded-database');
const folder = await mkdtemp(path.join(dist, 'prepare-'));
try {
  const directory = path.join(folder, 'postgres');
  const socketPath = path.join(folder, 'database.sock');
  const database = await PGlite.create(directory);
  const server = await serveSessions(database, socketPath);
  const sql = postgres({ path: socketPath, user: 'postgres', fetch_types: false, max: 1, onnotice: () => {} });
  await migrate(sql);
  await sql`checkpoint`;
  await sql.end();
  await server.stop();
  await database.close();
  await makePackable(directory);
  await rm(files, { recursive: true, force: true });
  await rename(directory, files);
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** The server may run as another user than the build, and from a package without empty folders. */
async function makePackable(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  const entries = await readdir(directory, { withFileTypes: true });
  if (entries.length === 0) await writeFile(path.join(directory, KEEP_FOLDER), '');
  for (const entry of entries) {
    const name = path.join(directory, entry.name);
    if (entry.isDirectory()) await makePackable(name);
    else await chmod(name, 0o644);
  }
}
