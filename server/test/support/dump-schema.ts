import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { postgresBinaries } from '@tenant-open-platform/testing/private-postgres';

export const schemaFile = fileURLToPath(new URL('../../drizzle/schema.sql', import.meta.url));

/** The schema after all migrations, without the parts that differ between dumps, logins or versions of Postgres. */
export function dumpSchema(databaseUrl: string): string {
  const program = join(postgresBinaries(), 'pg_dump');
  const options = ['--schema-only', '--no-owner', '--schema=public', '--schema=admission'];
  const dump = execFileSync(program, [...options, databaseUrl], { encoding: 'utf8' });
  const lines = dump
    .split('\n')
    .filter(
      (line) =>
        !/^(-- Dumped |SET transaction_timeout |\\(un)?restrict |GRANT ALL ON SCHEMA public TO platform;)/.test(line),
    );
  return `${lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`;
}
