import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { platform } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test } from 'vitest';
import { dumpSchema, schemaFile } from '../../../test/support/dump-schema.js';
import { STORED_FUNCTIONS, writtenFunctions } from '../../../test/support/function-texts.js';
import { openSession } from '../../../test/support/open-pool.js';

const server = fileURLToPath(new URL('../../..', import.meta.url));

const databaseUrl = platform().databaseUrl as string;

test('the database has the functions of drizzle/functions, each with exactly the text of its file', async () => {
  expect([...(await openSession(databaseUrl).unsafe(STORED_FUNCTIONS))]).toEqual(writtenFunctions());
});

test('drizzle/schema.sql equals the result of the migrations; pnpm golden:schema of the server refreshes it', () => {
  expect(dumpSchema(databaseUrl)).toBe(readFileSync(schemaFile, 'utf8'));
});

test('the migrations make the tables in the code: drizzle-kit generates no further one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'top-schema-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(server, 'drizzle'), folder, { recursive: true });
  const args = ['generate', '--dialect=postgresql', '--schema=./src/**/tables.ts', `--out=${relative(server, folder)}`];
  execFileSync(join(server, 'node_modules/.bin/drizzle-kit'), args, { cwd: server, stdio: 'pipe' });
  expect(readdirSync(folder)).toEqual(readdirSync(join(server, 'drizzle')));
});
