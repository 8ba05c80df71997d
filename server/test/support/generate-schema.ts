import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const server = fileURLToPath(new URL('../..', import.meta.url));
const drizzle = join(server, 'drizzle');

export const firstMigration = {
  sql: join(drizzle, '0000_schema.sql'),
  snapshot: join(drizzle, 'meta/0000_snapshot.json'),
};

/** The first migration as drizzle-kit generates it from the tables in the code, and its snapshot. */
export function generateSchema(): { sql: string; snapshot: string } {
  const folder = mkdtempSync(join(tmpdir(), 'top-schema-'));
  try {
    const args = ['generate', '--dialect=postgresql', '--schema=./src/**/*.table.ts', '--name=schema'];
    const out = `--out=${relative(server, folder)}`;
    execFileSync(join(server, 'node_modules/.bin/drizzle-kit'), [...args, out], { cwd: server, stdio: 'pipe' });
    const snapshot = JSON.parse(readFileSync(join(folder, 'meta/0000_snapshot.json'), 'utf8'));
    return {
      sql: `${readFileSync(join(folder, '0000_schema.sql'), 'utf8')}\n`,
      // drizzle-kit draws a new id each time. A later snapshot names it as its predecessor.
      snapshot: `${JSON.stringify({ ...snapshot, id: '00000000-0000-4000-8000-000000000000' }, null, 2)}\n`,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
