import { randomNumbers } from './hostile-requests.js';
import { STEPS } from './moving-tenant.js';

/** What happens to a process or a connection of a cell for some seconds. */
export const FAULTS = [
  'a node is killed',
  'a node is paused',
  'a node starts with another clock',
  'Postgres is killed',
  'Postgres is paused',
  'Postgres is cut off',
  'Postgres is silent',
  'the clock of Postgres is wrong',
  'NATS is killed',
  'NATS is paused',
  'NATS is cut off',
] as const;

export type Fault = {
  fault: (typeof FAULTS)[number];
  /** 0 and 1 are the two cells. */
  cell: 0 | 1;
  seconds: number;
  part: 'api' | 'worker';
  aheadSeconds: number;
};

export type Episode =
  | ({ kind: 'fault' } & Fault)
  /** Killed at these steps, one after the other. */
  | { kind: 'move'; killedAt: string[] }
  | { kind: 'undone move'; killedAt: string }
  /** The fault begins at this step. */
  | { kind: 'struck move'; step: string; struckBy: Fault }
  /** A copy of a database is made after the first kill. It replaces the database after the second one. */
  | { kind: 'restored move'; killedAt: [string, string]; side: 'source' | 'target'; way: string; isUndone: boolean }
  /** So many seconds are lost. */
  | { kind: 'restore'; way: string; cell: 0 | 1; seconds: number };

/** At the later ones a killed command may already have switched. */
const UNDOABLE = STEPS.slice(0, STEPS.indexOf('verified'));
/** The command says always that it is there. */
const ALWAYS_SAID = UNDOABLE.filter((step) => step !== 'waiting for');
/** The command cannot notice that a connection is silent: an operator kills it. It refuses clocks that differ. */
const STRIKING = FAULTS.filter((fault) => !['Postgres is silent', 'the clock of Postgres is wrong'].includes(fault));

const MOVES = ['move', 'killed move', 'undone move', 'struck move', 'restored move'] as const;
const PROMOTION = 'an asynchronous standby that lagged and is promoted';
const LONGEST_FAULT_SECONDS = 8;
const LONGEST_LOST_SECONDS = 4;
const FURTHEST_CLOCK_SECONDS = 250;

/**
 * The same seed makes the same episodes. Their kinds are dealt like cards: each comes as often as the others. A restore
 * is dealt twice, once as a promotion.
 */
export function scheduleOf(seed: number, count: number, ways: readonly string[]): Episode[] {
  const random = randomNumbers(seed);
  const between = (least: number, most: number) => least + random() * (most - least);
  const tenths = (least: number, most: number) => Math.round(10 * between(least, most)) / 10;
  const oneOf = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const aCell = () => oneOf([0, 1] as const);
  const faultOf = (fault: Fault['fault']): Fault => ({
    fault,
    cell: aCell(),
    seconds: tenths(0.5, LONGEST_FAULT_SECONDS),
    part: oneOf(['api', 'worker'] as const),
    aheadSeconds: Math.round(between(-FURTHEST_CLOCK_SECONDS, FURTHEST_CLOCK_SECONDS)),
  });
  const restores = ways.filter((way) => way !== PROMOTION);

  function episodeOf(card: (typeof FAULTS)[number] | (typeof MOVES)[number] | 'restore' | 'promotion'): Episode {
    switch (card) {
      case 'move':
        return { kind: 'move', killedAt: [] };
      case 'killed move':
        return { kind: 'move', killedAt: [oneOf(STEPS), oneOf(STEPS)] };
      case 'undone move':
        return { kind: 'undone move', killedAt: oneOf(UNDOABLE) };
      case 'struck move':
        return { kind: 'struck move', step: oneOf(STEPS), struckBy: faultOf(oneOf(STRIKING)) };
      case 'restored move': {
        const [first, second] = [oneOf(ALWAYS_SAID), oneOf(ALWAYS_SAID)].sort(
          (a, b) => STEPS.indexOf(a) - STEPS.indexOf(b),
        );
        return {
          kind: 'restored move',
          killedAt: [first as string, second as string],
          side: oneOf(['source', 'target'] as const),
          way: oneOf(ways),
          isUndone: oneOf([true, false]),
        };
      }
      case 'restore':
      case 'promotion':
        return {
          kind: 'restore',
          way: card === 'restore' ? oneOf(restores) : PROMOTION,
          cell: aCell(),
          seconds: tenths(1, LONGEST_LOST_SECONDS),
        };
      default:
        return { kind: 'fault', ...faultOf(card) };
    }
  }

  const deck = [...FAULTS, ...MOVES, 'restore', 'promotion'] as const;
  const dealt: Episode[] = [];
  while (dealt.length < count) {
    const shuffled = deck.map((card) => ({ card, place: random() })).sort((one, other) => one.place - other.place);
    dealt.push(...shuffled.map(({ card }) => episodeOf(card)));
  }
  return dealt.slice(0, count);
}

export const isPromotion = (way: string): boolean => way === PROMOTION;
