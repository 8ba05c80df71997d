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
  /** So many seconds are lost. */
  | { kind: 'restore'; way: string; cell: 0 | 1; seconds: number };

/** At the later ones a killed command may already have switched. */
const UNDOABLE = STEPS.slice(0, STEPS.indexOf('verified'));
/** The command cannot notice that a connection is silent. An operator kills it. */
const STRIKING = FAULTS.filter((fault) => fault !== 'Postgres is silent');

const MOVES = ['move', 'killed move', 'undone move', 'struck move'] as const;
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

export const isPromotion = (episode: Episode): boolean => episode.kind === 'restore' && episode.way === PROMOTION;
