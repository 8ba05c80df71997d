import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const server = fileURLToPath(new URL('../../server', import.meta.url));

/** Copies the built server into a new folder, as another version that `change` makes of it. */
export function makeVersion(folder: string, version: string, change: (drizzle: string) => void): void {
  for (const part of ['dist', 'drizzle']) {
    cpSync(join(server, part), join(folder, part), { recursive: true, filter: (path) => !path.endsWith('.map') });
  }
  symlinkSync(join(server, 'node_modules'), join(folder, 'node_modules'));
  const manifest = JSON.parse(readFileSync(join(server, 'package.json'), 'utf8'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version }));
  change(join(folder, 'drizzle'));
}

/** Adds a migration to the folder of a made-up version, after all others. */
export function addMigration(drizzle: string, tag: string, sql: string): void {
  const file = join(drizzle, 'meta/_journal.json');
  const journal = JSON.parse(readFileSync(file, 'utf8'));
  const last = journal.entries.at(-1);
  journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + 1, tag });
  writeFileSync(file, JSON.stringify(journal));
  writeFileSync(join(drizzle, `${tag}.sql`), sql);
}
