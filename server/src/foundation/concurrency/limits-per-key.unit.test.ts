import { expect, test } from 'vitest';
import { createPlaces } from './limits-per-key.js';

test('each key has so many places, and a place given back can be taken again', () => {
  const places = createPlaces(2);
  const give = places.take('acme');
  expect(places.take('acme')).not.toBeNull();
  expect(places.take('acme')).toBeNull();
  expect(places.take('globex')).not.toBeNull();
  give?.();
  expect(places.countOf('acme')).toBe(1);
  expect(places.take('acme')).not.toBeNull();
  expect(places.take('acme')).toBeNull();
});
