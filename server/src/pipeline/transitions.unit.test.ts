import { readFileSync } from 'node:fs';
import { isSafeToRepeat } from '@tenant-open-platform/contract/facts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  cancel,
  dispatch,
  expire,
  failUnsent,
  INITIAL,
  isTerminal,
  publicStatusOf,
  type ReportedStatuses,
  report,
  type State,
} from './transitions.js';

type Happening = 'dispatch' | 'cancel' | 'expire' | 'fail-unsent' | ReportedStatuses;

const adapterWords = ['DELIVERED', 'REJECTED', 'UNSUPPORTED', 'UNREACHABLE', 'FAILED', 'TIMED_OUT'] as const;
const deviceWords = ['IN_PROGRESS', 'SUCCEEDED', 'FAILED', 'REJECTED', 'TIMED_OUT'] as const;

/** Every report that the contract allows. */
const reports: ReportedStatuses[] = [undefined, ...adapterWords].flatMap((adapter_status) =>
  [undefined, ...deviceWords].flatMap((device_execution_status) =>
    adapter_status === undefined && device_execution_status === undefined
      ? []
      : [{ ...(adapter_status && { adapter_status }), ...(device_execution_status && { device_execution_status }) }],
  ),
);

const happenings: Happening[] = ['dispatch', 'cancel', 'expire', 'fail-unsent', ...reports];

const apply = (state: State, happening: Happening): State | null => {
  if (happening === 'dispatch') return dispatch(state);
  if (happening === 'cancel') return cancel(state);
  if (happening === 'expire') return expire(state);
  if (happening === 'fail-unsent') return failUnsent(state);
  return report(state, happening);
};

/** All steps of a command, in any order, repeated; most commands are dispatched at some time. */
const lives = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.constant<Happening>('dispatch') },
    { weight: 1, arbitrary: fc.constantFrom<Happening>('cancel', 'expire', 'fail-unsent') },
    { weight: 6, arbitrary: fc.constantFrom(...reports) },
  ),
  { maxLength: 24 },
);

const RUNS = { numRuns: 5_000 };

/** The states of a life in order, each with its cause; steps without effect are left out. */
function live(life: readonly Happening[]) {
  let state = INITIAL;
  const steps: { before: State; happening: Happening; after: State }[] = [];
  for (const happening of life) {
    const after = apply(state, happening);
    if (!after) continue;
    steps.push({ before: state, happening, after });
    state = after;
  }
  return { steps, end: state };
}

type Entry = Pick<State, 'adapter_status'> & { source: 'PLATFORM' | 'ADAPTER' | 'DEVICE' };

/** Every state that any life can reach, with each history that leads to it; repeated entries are left out. */
function livesTo(): { state: State; history: Entry[] }[] {
  const first: { state: State; history: Entry[] } = { state: INITIAL, history: [] };
  const found = new Map([[JSON.stringify(first), first]]);
  for (const { state, history } of found.values()) {
    for (const happening of happenings) {
      const after = apply(state, happening);
      if (!after) continue;
      const isDevice = typeof happening !== 'string' && happening.device_execution_status !== undefined;
      const source = typeof happening === 'string' ? 'PLATFORM' : isDevice ? 'DEVICE' : 'ADAPTER';
      const life = { state: after, history: [...history, { source, adapter_status: after.adapter_status } as const] };
      found.set(JSON.stringify(life), life);
    }
  }
  return [...found.values()];
}

const reachable = () => [...new Map(livesTo().map(({ state }) => [JSON.stringify(state), state])).values()];

const finalByDevice: Record<string, string> = {
  SUCCEEDED: 'SUCCEEDED',
  FAILED: 'FAILED',
  REJECTED: 'REJECTED',
  TIMED_OUT: 'TIMED_OUT',
};
const finalByAdapter: Record<string, string> = {
  REJECTED: 'REJECTED',
  UNSUPPORTED: 'UNSUPPORTED',
  UNREACHABLE: 'FAILED',
  FAILED: 'FAILED',
  TIMED_OUT: 'TIMED_OUT',
};

/** The expected status, from the whole life: the first final step decides, and the device before the adapter. */
function expectedStatus(life: readonly Happening[]): string {
  const sent = life.indexOf('dispatch');
  const taken = life.findIndex((happening) => happening === 'cancel' || happening === 'expire');
  if (taken !== -1 && (sent === -1 || taken < sent)) return life[taken] === 'cancel' ? 'CANCELED' : 'EXPIRED';
  if (sent === -1) return 'ACCEPTED';
  let isReported = false;
  for (const happening of life.slice(sent)) {
    if (happening === 'expire') return 'TIMED_OUT';
    if (happening === 'fail-unsent' && !isReported) return 'FAILED';
    if (typeof happening === 'string') continue;
    isReported = true;
    const decided =
      finalByDevice[happening.device_execution_status ?? ''] ?? finalByAdapter[happening.adapter_status ?? ''];
    if (decided) return decided;
  }
  return 'DISPATCHED';
}

describe('for any steps of a command, in any order, repeated or late', () => {
  test('its status is the one of the first final step, the device before the adapter', () => {
    fc.assert(
      fc.property(lives, (life) => {
        expect(live(life).end.status).toBe(expectedStatus(life));
      }),
      RUNS,
    );
  });

  test('it completes at most once, and exactly once if its status is final', () => {
    fc.assert(
      fc.property(lives, (life) => {
        const { steps, end } = live(life);
        const completions = steps.filter(({ before, after }) => !isTerminal(before) && isTerminal(after));
        expect(completions).toHaveLength(isTerminal(end) ? 1 : 0);
      }),
      RUNS,
    );
  });

  test('a repeated step changes nothing', () => {
    fc.assert(
      fc.property(lives, (life) => {
        const { steps } = live(life);
        for (const [index, { happening }] of steps.entries()) {
          for (const { after } of steps.slice(index)) expect(apply(after, happening)).toBeNull();
        }
      }),
      RUNS,
    );
  });
});

describe('in every state that a command can reach', () => {
  const states = reachable();
  const moves = states.flatMap((before) =>
    happenings.flatMap((happening) => {
      const after = apply(before, happening);
      return after ? [{ before, happening, after }] : [];
    }),
  );

  test('every status occurs', () => {
    expect([...new Set(states.map(({ status }) => status))].sort()).toEqual(
      'ACCEPTED CANCELED DISPATCHED EXPIRED FAILED REJECTED SUCCEEDED TIMED_OUT UNSUPPORTED'.split(' '),
    );
  });

  test('a final status never changes', () => {
    expect(moves.filter(({ before }) => isTerminal(before))).toEqual([]);
  });

  test('no status moves back', () => {
    const orders = {
      status: ['ACCEPTED', 'DISPATCHED'],
      adapter_status: ['PENDING', 'SENT', 'DELIVERED'],
      device_execution_status: ['NOT_STARTED', 'IN_PROGRESS'],
    } as const;
    for (const { before, after } of moves) {
      for (const [name, order] of Object.entries(orders)) {
        const rank = (state: State) => {
          const at = (order as readonly string[]).indexOf(state[name as keyof State]);
          return at === -1 ? order.length : at;
        };
        expect(rank(after), JSON.stringify({ before, after })).toBeGreaterThanOrEqual(rank(before));
        // Of two final reports the first one stays.
        if (rank(before) === order.length) expect(after[name as keyof State]).toBe(before[name as keyof State]);
      }
    }
  });

  test('EXPIRED and CANCELED mean never published: they follow only ACCEPTED, without any report', () => {
    const ended = moves.filter(({ after: { status } }) => status === 'EXPIRED' || status === 'CANCELED');
    expect(ended).toEqual([
      { before: INITIAL, happening: 'cancel', after: { ...INITIAL, status: 'CANCELED' } },
      { before: INITIAL, happening: 'expire', after: { ...INITIAL, status: 'EXPIRED' } },
    ]);
  });

  test('before it is dispatched every report is refused', () => {
    for (const said of reports) expect(report(INITIAL, said)).toBeNull();
  });

  test('dispatching sets adapter_status SENT', () => {
    expect(dispatch(INITIAL)).toEqual({
      status: 'DISPATCHED',
      adapter_status: 'SENT',
      device_execution_status: 'NOT_STARTED',
    });
  });

  test('without a result in time, SENT becomes TIMED_OUT, DELIVERED stays, and the device status is UNKNOWN', () => {
    const overdue = moves.filter(({ happening, before }) => happening === 'expire' && before.status === 'DISPATCHED');
    expect(new Set(overdue.map(({ before }) => before.adapter_status))).toEqual(new Set(['SENT', 'DELIVERED']));
    for (const { before, after } of overdue) {
      expect(after).toEqual({
        status: 'TIMED_OUT',
        adapter_status: before.adapter_status === 'SENT' ? 'TIMED_OUT' : 'DELIVERED',
        device_execution_status: 'UNKNOWN',
      });
    }
  });

  test('a report of the device implies delivery', () => {
    for (const { happening, after } of moves) {
      if (typeof happening === 'string' || happening.device_execution_status === undefined) continue;
      expect(['PENDING', 'SENT']).not.toContain(after.adapter_status);
      const isLastWord = happening.device_execution_status !== 'IN_PROGRESS';
      if (isLastWord || happening.adapter_status === undefined) expect(after.adapter_status).toBe('DELIVERED');
    }
  });
});

describe('the end of a command', () => {
  const ends = reachable().filter(isTerminal);
  const text = (state: State) => Object.values({ ...state, public_status: publicStatusOf(state) }).join(' | ');

  test('never says that the device still executes it', () => {
    expect(ends.filter(({ device_execution_status }) => device_execution_status === 'IN_PROGRESS')).toEqual([]);
  });

  test('is for end users what status and device together say', () => {
    for (const state of ends) {
      const isUnknown = state.status === 'TIMED_OUT' || state.device_execution_status === 'UNKNOWN';
      const known = state.status === 'SUCCEEDED' ? 'SUCCEEDED' : 'FAILED';
      expect(publicStatusOf(state), text(state)).toBe(isUnknown ? 'UNKNOWN' : known);
    }
    expect(publicStatusOf(INITIAL)).toBe('PENDING');
  });

  test('is one of those in docs/internals/ends.md', () => {
    const page = readFileSync(new URL('../../../docs/internals/ends.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| ([A-Z_]+ \| [A-Z_]+ \| [A-Z_]+ \| [A-Z_]+ \| (?:yes|no|both)) \|/gm)];
    const endsOf = new Map<string, Set<boolean>>();
    for (const { state, history } of livesTo().filter(({ state }) => isTerminal(state))) {
      const answers = [null, { code: 'NO_ADAPTER' }].map((status_reason) =>
        isSafeToRepeat({ ...state, status_reason, history }),
      );
      endsOf.set(text(state), new Set([...(endsOf.get(text(state)) ?? []), ...answers]));
    }
    const expected = [...endsOf].map(
      ([end, safe]) => `${end} | ${safe.size > 1 ? 'both' : safe.has(true) ? 'yes' : 'no'}`,
    );
    expect(rows.map(([, row]) => row).sort()).toEqual(expected.sort());
  });
});
