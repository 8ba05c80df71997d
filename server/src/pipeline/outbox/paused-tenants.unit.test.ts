import { expect, onTestFinished, test, vi } from 'vitest';
import { createPausedTenants, tenantsWithMany } from './paused-tenants.js';

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

test('on a busy node, where a count takes 25 ms, the next one begins 100 ms after it', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let counts = 0;
  const untakenUpdates = async () => {
    counts++;
    await new Promise((resolve) => setTimeout(resolve, 25));
    return new Map<string, number>();
  };
  const pausedTenants = createPausedTenants({ untakenUpdates });
  for (let passed = 0; passed < 2_000; passed += 5) {
    pausedTenants();
    await vi.advanceTimersByTimeAsync(5);
  }
  expect(counts).toBe(2_000 / (25 + 100));
});
