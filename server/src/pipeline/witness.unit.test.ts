import { expect, test } from 'vitest';
import type { Witness } from './bus/witness-text.js';
import { judge } from './witness.js';

/** `generations`: an id with the last number that it shares with the current one, which comes first. */
const witness = (number: number, generations: Record<string, number | null>): Witness => {
  const parts = Object.entries(generations).map(([id, shared_until]) => ({ id, shared_until }));
  return { id: parts[0]?.id as string, number, generations: parts };
};

const goesOn = { wentBack: false, lost: [] };

test.each([
  ['both have the same', witness(5, { a: null }), witness(5, { a: null }), goesOn],
  ['the bus is older', witness(5, { a: null }), witness(4, { a: null }), goesOn],
  ['the bus has a later number', witness(5, { a: null }), witness(6, { a: null }), { wentBack: true, lost: [] }],
  ['the bus has not heard of the new generation', witness(0, { b: null, a: 10 }), witness(9, { a: null }), goesOn],
  [
    'a copy of a generation that has ended is put back',
    witness(5, { a: null }),
    witness(2, { b: null, a: 10 }),
    { wentBack: true, lost: [{ id: 'b', shared_until: 10 }] },
  ],
  [
    'Postgres has shown the second restore',
    witness(0, { c: null, a: 20 }),
    witness(2, { b: null, a: 10 }),
    { wentBack: false, lost: [{ id: 'b', shared_until: 10 }] },
  ],
  [
    'the copy of the second restore is older than the first one',
    witness(0, { c: null, a: 5 }),
    witness(2, { b: null, a: 10 }),
    { wentBack: false, lost: [{ id: 'b', shared_until: 5 }] },
  ],
  [
    'three restores, of which the database knows the first',
    witness(1, { b: null, a: 10 }),
    witness(7, { d: null, c: 30, b: 20, a: 10 }),
    {
      wentBack: true,
      lost: [
        { id: 'd', shared_until: 20 },
        { id: 'c', shared_until: 20 },
      ],
    },
  ],
  [
    'one of the lost generations shares less than the others',
    witness(1, { b: null, a: 10 }),
    witness(7, { d: null, c: 3, b: 20, a: 10 }),
    {
      wentBack: true,
      lost: [
        { id: 'd', shared_until: 20 },
        { id: 'c', shared_until: 3 },
      ],
    },
  ],
  ['each comes after the other', witness(1, { b: null, a: 10 }), witness(9, { a: null, b: 5 }), goesOn],
  ['the bus is of another database', witness(5, { a: null }), witness(9, { x: null, y: 3 }), goesOn],
])('%s', (_case, own, ofBus, judgement) => {
  expect(judge(own, ofBus)).toEqual(judgement);
});
