import { expect, test } from 'vitest';
import { createSlots } from './limits-per-key.js';

test('each key has so many slots, and a slot given back can be taken again', () => {
  const slots = createSlots(2);
  const give = slots.take('acme');
  expect(slots.take('acme')).not.toBeNull();
  expect(slots.take('acme')).toBeNull();
  expect(slots.take('globex')).not.toBeNull();
  give?.();
  expect(slots.countOf('acme')).toBe(1);
  expect(slots.take('acme')).not.toBeNull();
  expect(slots.take('acme')).toBeNull();
});
