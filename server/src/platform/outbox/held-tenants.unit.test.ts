import { expect, test } from 'vitest';
import { tenantsWithMany } from './held-tenants.js';

const held = (counts: Record<string, number>) => tenantsWithMany(new Map(Object.entries(counts)));

test('a tenant with more than 2,000 unhandled updates is held, and no other', () => {
  expect(held({ flood: 2_001, busy: 1_500, quick: 3 })).toEqual(['flood']);
});

test('where many tenants together have too many, each one above its share is held', () => {
  const counts = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`tenant-${index}`, 100]));
  expect(held({ ...counts, quick: 3 })).toEqual(Object.keys(counts));
});

test('a flood of one tenant holds no tenant with few updates', () => {
  expect(held({ flood: 5_000, quick: 40 })).toEqual(['flood']);
});
