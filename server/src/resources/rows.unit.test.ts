import { integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { changeOf } from '../gateway/audit/audit.js';
import type { Call } from '../gateway/operation/call.js';
import { columnsOf, presenter } from './rows.js';
import { exported } from './tenants/tenant-tables.js';

const things = pgTable('things', {
  tenantId: text('tenant_id').notNull(),
  name: text().notNull(),
  maxBytes: integer('max_bytes').notNull(),
  expiresAt: timestamp('expires_at', { withTimezone: true }),
  /** Added later. No answer and no list names it. */
  secretNote: text('secret_note').notNull(),
});

const row = {
  tenantId: 't',
  name: 'a',
  maxBytes: 5,
  expiresAt: new Date('2030-01-01T00:00:00Z'),
  secretNote: 'nobody may read this',
};

test('an answer and the audit log show the columns that the contract names, and not one that a table gets later', () => {
  const answer = z.object({ name: z.string(), max_bytes: z.int(), expires_at: z.string(), other: z.string() });
  const present = presenter(things, answer);
  const shown = { name: 'a', max_bytes: 5, expires_at: '2030-01-01T00:00:00.000Z', request_id: 'r' };
  const call = { requestId: 'r' } as Call;
  expect(present(row, call)).toStrictEqual(shown);
  expect(changeOf(call, present, row, row)).toStrictEqual({ before: shown, after: shown, result: shown });
  expectTypeOf(present(row, call)).toExtend<{
    name: string;
    max_bytes: number;
    expires_at: string | null;
    request_id: string;
  }>();
});

test('an export has the columns that its list names, and not one that a table gets later', () => {
  expect(exported('role', things, ['tenantId', 'maxBytes']).columns.map(({ name }) => name)).toEqual([
    'tenant_id',
    'max_bytes',
  ]);
});

test('a field sets the column of its name, an instant becomes a Date', () => {
  const stored = columnsOf(things, { name: 'a', max_bytes: 5, expires_at: '2030-01-01T00:00:00Z' });
  expect(stored).toEqual({ name: 'a', maxBytes: 5, expiresAt: new Date('2030-01-01T00:00:00Z') });
  expectTypeOf(stored).toEqualTypeOf<{ name: string; maxBytes: number; expiresAt: Date }>();
});

test('null is stored; what is undefined or missing sets no column', () => {
  const body: { name?: string | undefined; max_bytes?: number; expires_at: string | null } = {
    name: undefined,
    expires_at: null,
  };
  expect(columnsOf(things, body)).toStrictEqual({ expiresAt: null });
  expectTypeOf(columnsOf(things, body)).toEqualTypeOf<{ name?: string; maxBytes?: number; expiresAt: Date | null }>();
});

test('the tenant and fields without a column are left out', () => {
  const stored = columnsOf(things, { tenant_id: 'other', tenantId: 'other', maxBytes: 1, rotate: true, name: 'a' });
  expect(stored).toStrictEqual({ name: 'a' });
  expectTypeOf(stored).toEqualTypeOf<{ name: string }>();
});
