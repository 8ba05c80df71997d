import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@tenant-open-platform/testing';
import { addMigration } from '@tenant-open-platform/testing/made-up-version';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { expect, onTestFinished, test } from 'vitest';
import { openSession } from '../../../test/support/open-pool.js';
import { migrate } from './migrate.js';

const drizzle = fileURLToPath(new URL('../../../drizzle', import.meta.url));
const temporary = temporaryFolder();

const server = await ownPostgres();
const open = (max: number) => openSession(server.url, { max, fetch_types: false });
/** Requests as the old nodes keep sending them. */
const requests = open(4);
await migrateWith(drizzle);

/** What a node does at its start. */
async function migrateWith(folder: string): Promise<void> {
  const sql = open(1);
  try {
    await migrate(sql, folder);
  } finally {
    await sql.end();
  }
}

let made = 0;
let newest = drizzle;

/** The migrations so far and one more. */
function withMigration(sql: string): string {
  const folder = join(temporary, String(++made));
  cpSync(newest, folder, { recursive: true });
  newest = folder;
  addMigration(folder, `9999_${made}`, sql);
  return folder;
}

/** Another transaction that has read a table and stays open. */
async function openTransaction(): Promise<() => Promise<void>> {
  const other = open(1);
  await other`begin`;
  await other`select from tenants`;
  const close = async () => {
    await other`commit`;
    await other.end();
  };
  onTestFinished(() => other.end({ timeout: 0 }));
  return close;
}

/** The longest duration of this many requests on the table, sent one after the other. */
async function longestRequestMs(count: number): Promise<number> {
  let longest = 0;
  for (let number = 0; number < count; number++) {
    const startedAt = performance.now();
    await requests`insert into tenants (tenant_id, name) values (${`t-${crypto.randomUUID()}`}, 'T')`;
    longest = Math.max(longest, performance.now() - startedAt);
  }
  return longest;
}

const lockIsAwaited = async () => {
  const [row] = await requests<{ waiting: number }[]>`select count(*)::int as waiting from pg_locks where not granted`;
  return row?.waiting ?? 0;
};

test('a migration that does not get its lock lets requests pass and tries again', async () => {
  const close = await openTransaction();
  const migrating = migrateWith(withMigration('ALTER TABLE "tenants" ADD COLUMN "x" text;'));
  await expect.poll(lockIsAwaited, { timeout: 60_000, interval: 10 }).toBeGreaterThan(0);
  // Without a lock_timeout all of them would wait for the other transaction.
  expect(await longestRequestMs(300)).toBeLessThan(10_000);
  await close();
  await migrating;
  await requests`select x from tenants limit 0`;
});

test('an index is built while requests go on and other nodes wait for the migrations', async () => {
  const folder = withMigration(
    'DROP INDEX CONCURRENTLY IF EXISTS "by_name";--> statement-breakpoint\nCREATE INDEX CONCURRENTLY "by_name" ON "tenants" ("name");',
  );
  const close = await openTransaction();
  const migrating = Promise.all([migrateWith(folder), migrateWith(folder), migrateWith(folder)]);
  const isBuilding = async () => (await requests`select from pg_stat_progress_create_index`).length;
  await expect.poll(isBuilding, { timeout: 60_000, interval: 10 }).toBe(1);
  expect(await longestRequestMs(300)).toBeLessThan(10_000);
  await close();
  await migrating;
  expect(await requests`select indisvalid from pg_index where indexrelid = 'by_name'::regclass`).toEqual([
    { indisvalid: true },
  ]);
});

test('an index left invalid by an interrupted build is built again', async () => {
  const folder = withMigration(
    'DROP INDEX CONCURRENTLY IF EXISTS "by_status";--> statement-breakpoint\nCREATE UNIQUE INDEX CONCURRENTLY "by_status" ON "tenants" ("status");',
  );
  // Two tenants have the same status: the build fails and leaves an invalid index.
  await expect(migrateWith(folder)).rejects.toThrow('could not create unique index');
  expect(await requests`select indisvalid from pg_index where indexrelid = 'by_status'::regclass`).toEqual([
    { indisvalid: false },
  ]);
  await requests`update tenants set status = tenant_id`;
  await migrateWith(folder);
  expect(await requests`select indisvalid from pg_index where indexrelid = 'by_status'::regclass`).toEqual([
    { indisvalid: true },
  ]);
});
