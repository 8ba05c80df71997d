import { expect, onTestFinished, test, vi } from 'vitest';
import { createPlaces, createWindows } from './limits-per-key.js';

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

test('what is given back after its window has ended adds nothing to the next one', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const windows = createWindows(60_000);
  windows.add('a', 8);
  vi.advanceTimersByTime(60_001);
  expect(windows.add('a', -8).used).toBe(0);
  expect(windows.add('a', 1).used).toBe(1);
});
