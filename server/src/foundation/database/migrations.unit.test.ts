import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { migrationProblems } from '../../../test/support/migration-problems.js';

const folder = fileURLToPath(new URL('../../../drizzle', import.meta.url));
const tags = readdirSync(folder)
  .filter((name) => /^\d{4}_/.test(name))
  .map((name) => basename(name, '.sql'));

/** It creates an empty database, so no node runs beside it. */
const BASELINE = '0000_schema';

const problemsOf = (sql: string) => migrationProblems({ tag: 'new', sql }, tags);

test('the journal has each migration, in order: a database skips what is older than its last one', () => {
  const { entries } = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8'));
  type Entry = { tag: string; when: number };
  const inOrder = (entries as Entry[]).toSorted((one, other) => one.when - other.when);
  expect(inOrder.map(({ tag }) => tag)).toEqual(tags.toSorted());
  expect(new Set(inOrder.map(({ when }) => when)).size).toBe(tags.length);
});

test('no migration stops requests, and nodes of the previous version continue', () => {
  expect(tags).toContain(BASELINE);
  const later = tags.filter((tag) => tag !== BASELINE);
  const problems = later.flatMap((tag) =>
    migrationProblems({ tag, sql: readFileSync(join(folder, `${tag}.sql`), 'utf8') }, tags),
  );
  expect(problems).toEqual([]);
});

test.each([
  'CREATE INDEX "x" ON "commands" USING btree ("vendor");',
  'CREATE UNIQUE INDEX "x" ON "commands" ("vendor");',
  'CREATE INDEX CONCURRENTLY "x" ON "commands" ("vendor");',
  'DROP INDEX CONCURRENTLY IF EXISTS "y";--> statement-breakpoint\nCREATE INDEX CONCURRENTLY "x" ON "commands" ("vendor");',
  'DROP INDEX CONCURRENTLY "commands_of_device";',
  'DROP TABLE "commands";',
  '-- unused since 0099_never: gone.\nDROP TABLE "commands";',
  'ALTER TABLE "commands" DROP COLUMN "vendor";',
  'ALTER TABLE "commands" RENAME COLUMN "vendor" TO "maker";',
  'ALTER TABLE "commands" ADD COLUMN "x" text NOT NULL;',
  'ALTER TABLE "commands" ADD COLUMN "x" uuid DEFAULT gen_random_uuid() NOT NULL;',
  'ALTER TABLE "commands" ALTER COLUMN "vendor" SET NOT NULL;',
  'ALTER TABLE "commands" ALTER COLUMN "vendor" SET DATA TYPE varchar;',
  'ALTER TABLE "commands" ADD CONSTRAINT "x" FOREIGN KEY ("vendor") REFERENCES "vendors"("vendor");',
  'ALTER TABLE "commands" ADD CONSTRAINT "x" UNIQUE("vendor");',
  'UPDATE "commands" SET vendor = \'a\';',
  'LOCK TABLE commands;',
  'DROP INDEX CONCURRENTLY IF EXISTS "x";--> statement-breakpoint\nCREATE INDEX CONCURRENTLY "x" ON "commands" ("vendor");--> statement-breakpoint\ngrant select on commands to top_app;',
])('the rule refuses %j', (sql) => {
  expect(problemsOf(sql)).not.toEqual([]);
});

test.each([
  'ALTER TABLE "commands" ADD COLUMN "x" text;',
  'ALTER TABLE "commands" ADD COLUMN "x" jsonb DEFAULT \'[]\'::jsonb NOT NULL;',
  'ALTER TABLE "commands" ADD CONSTRAINT "x" CHECK (vendor <> \'\') NOT VALID;',
  'CREATE TABLE "x" ("y" text NOT NULL);--> statement-breakpoint\nCREATE INDEX "z" ON "x" ("y");--> statement-breakpoint\nALTER TABLE "x" ADD CONSTRAINT "w" FOREIGN KEY ("y") REFERENCES "vendors"("vendor");',
  'DROP INDEX CONCURRENTLY IF EXISTS "x";--> statement-breakpoint\nCREATE INDEX CONCURRENTLY "x" ON "commands" ("vendor");',
  '-- unused since 0000_schema: nothing reads it.\nALTER TABLE "commands" DROP COLUMN "x";',
  'grant select on commands to top_app;',
])('the rule accepts %j', (sql) => {
  expect(problemsOf(sql)).toEqual([]);
});
