import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const server = fileURLToPath(new URL('../..', import.meta.url));
const drizzle = join(server, 'drizzle');

/** drizzle-kit gives each snapshot a random id and each migration its time: the same sources make the same files. */
const SNAPSHOT_ID = '00000000-0000-4000-8000-000000000000';
const WRITTEN_AT_MS = 1_795_322_319_818;

const HEAD = `-- Written by \`pnpm --filter @tenant-open-platform/server golden:schema\` from the files of functions and baseline and from
-- tables.ts of each wing. Bodies are checked when they run: a function may name tables that come after it.
set local check_function_bodies = off;
`;

const source = (name: string) => readFileSync(join(drizzle, name), 'utf8');

/** The files of the baseline, by their path in server/drizzle. An index calls a function, so functions come before tables. */
export function baseline(): Record<string, string> {
  const { tables, snapshot } = generated();
  const parts = [
    HEAD,
    source('baseline/roles.sql'),
    ...readdirSync(join(drizzle, 'functions')).map((name) => source(`functions/${name}`)),
    tables,
    ...['storage', 'privileges', 'first-rows'].map((name) => source(`baseline/${name}.sql`)),
  ];
  const entry = { idx: 0, version: '7', when: WRITTEN_AT_MS, tag: '0000_schema', breakpoints: true };
  return {
    '0000_schema.sql': `${parts.map((part) => part.trimEnd()).join('\n--> statement-breakpoint\n')}\n`,
    'meta/0000_snapshot.json': `${JSON.stringify({ ...snapshot, id: SNAPSHOT_ID }, null, 2)}\n`,
    'meta/_journal.json': `${JSON.stringify({ version: '7', dialect: 'postgresql', entries: [entry] }, null, 2)}\n`,
  };
}

/** What drizzle-kit makes of tables.ts of each wing. */
function generated(): { tables: string; snapshot: object } {
  const folder = mkdtempSync(join(tmpdir(), 'top-baseline-'));
  try {
    const args = ['generate', '--dialect=postgresql', '--schema=./src/**/tables.ts', '--name=schema'];
    const drizzleKit = join(server, 'node_modules/.bin/drizzle-kit');
    execFileSync(drizzleKit, [...args, `--out=${relative(server, folder)}`], { cwd: server, stdio: 'pipe' });
    const tables = readFileSync(join(folder, '0000_schema.sql'), 'utf8');
    return { tables, snapshot: JSON.parse(readFileSync(join(folder, 'meta/0000_snapshot.json'), 'utf8')) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
