import { expect, test } from 'vitest';
import { createPacer } from './pacer.js';

/** Books this many messages at this rate, and returns their delays. */
function received(pacer: ReturnType<typeof createPacer>, clock: { ms: number }, count: number, perSecond: number) {
  return Array.from({ length: count }, () => {
    clock.ms += 1_000 / perSecond;
    return pacer.book('acme');
  });
}

const newPacer = () => {
  const clock = { ms: 0 };
  return { clock, pacer: createPacer(() => clock.ms) };
};

test.each([2_000, 4_000, 8_000, 20_000])(
  'a process that receives %i messages a second delays three of four of one tenant',
  (perSecond) => {
    const { clock, pacer } = newPacer();
    const delays = received(pacer, clock, 20_000, perSecond);
    // The last message waits for its turn long after the process has received it.
    const turn = clock.ms + (delays.at(-1) as number);
    expect(turn).toBeGreaterThan(3 * clock.ms);
    expect(new Set(delays.map((delay) => delay % 250))).toEqual(new Set([0]));
  },
);

test('a message of another tenant is not delayed', () => {
  const { clock, pacer } = newPacer();
  received(pacer, clock, 20_000, 4_000);
  expect(pacer.book('neighbour')).toBe(0);
});

test('messages that are released delay no other', () => {
  const { clock, pacer } = newPacer();
  for (let number = 0; number < 20_000; number++) {
    expect(received(pacer, clock, 1, 1_000)).toEqual([0]);
    pacer.release('acme');
  }
});

test('a tenant that waited is not delayed again', () => {
  const { clock, pacer } = newPacer();
  const delays = received(pacer, clock, 5_000, 4_000);
  clock.ms += delays.at(-1) as number;
  expect(received(pacer, clock, 1, 4_000)).toEqual([0]);
});
