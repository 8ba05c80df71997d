import { readFileSync } from 'node:fs';
import { platform } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { dumpSchema, schemaFile } from '../../../test/support/dump-schema.js';
import { firstMigration, generateSchema } from '../../../test/support/generate-schema.js';

test('drizzle/schema.sql equals the result of the migrations; pnpm golden:schema of the server refreshes it', () => {
  expect(dumpSchema(platform().databaseUrl as string)).toBe(readFileSync(schemaFile, 'utf8'));
});

test('the first migration is what drizzle-kit generates from the tables in the code', () => {
  expect(generateSchema()).toEqual({
    sql: readFileSync(firstMigration.sql, 'utf8'),
    snapshot: readFileSync(firstMigration.snapshot, 'utf8'),
  });
});
