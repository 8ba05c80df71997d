import { expect, test } from 'vitest';
import { createPacer, unitsOf } from './take-message.js';

function newPacer() {
  const clock = { ms: 0 };
  const pacer = createPacer(() => clock.ms);
  /** Books this many messages of `acme` that arrive at this rate, and returns their delays. */
  const received = (count: number, perSecond: number, bytes = 100) =>
    Array.from({ length: count }, () => {
      clock.ms += 1_000 / perSecond;
      return pacer.book('acme', unitsOf(bytes));
    });
  return { clock, pacer, received };
}

test.each([1_000, 2_000, 4_000, 8_000])(
  'a process that receives %i messages a second delays three of four of one tenant',
  (perSecond) => {
    const { clock, received } = newPacer();
    const delays = received(20_000, perSecond);
    // The last message waits for its turn long after the process has received it.
    const turn = clock.ms + (delays.at(-1) as number);
    expect(turn).toBeGreaterThan(3 * clock.ms);
    expect(new Set(delays.map((delay) => delay % 250))).toEqual(new Set([0]));
  },
);

test('a message of 64 KiB takes the turns of 16 small ones', () => {
  const { clock, received } = newPacer();
  const delays = received(1_000, 1_000, 65_536);
  const turn = clock.ms + (delays.at(-1) as number);
  expect(turn).toBeGreaterThanOrEqual(((16 * 1_000 - 500) / 2_000) * 1_000);
});

test('a message of another tenant is not delayed', () => {
  const { pacer, received } = newPacer();
  received(20_000, 4_000);
  expect(pacer.book('neighbour', 1)).toBe(0);
});

test('messages that are released delay no other', () => {
  const { pacer, received } = newPacer();
  for (let number = 0; number < 20_000; number++) {
    expect(received(1, 1_000, 20_000)).toEqual([0]);
    pacer.release('acme', unitsOf(20_000));
  }
});

test('a tenant that waited is not delayed again', () => {
  const { clock, received } = newPacer();
  const delays = received(5_000, 4_000);
  clock.ms += delays.at(-1) as number;
  expect(received(1, 4_000)).toEqual([0]);
});

test('a tenant with more waiting than NATS keeps of one subject has many; another tenant has not', () => {
  const { pacer, received } = newPacer();
  received(5_000, 20_000, 65_536);
  expect(pacer.hasMany('acme')).toBe(false);
  received(1_500, 20_000, 65_536);
  expect([pacer.hasMany('acme'), pacer.hasMany('neighbour')]).toEqual([true, false]);
});
