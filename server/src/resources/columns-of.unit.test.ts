import { integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { expect, expectTypeOf, test } from 'vitest';
import { columnsOf } from './rows.js';

const things = pgTable('things', {
  tenantId: text('tenant_id').notNull(),
  name: text().notNull(),
  maxBytes: integer('max_bytes').notNull(),
  expiresAt: timestamp('expires_at', { withTimezone: true }),
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
