import { CommandUpdate } from '@tenant-open-platform/contract/bus';
import { type Answer, signedRequest } from '@tenant-open-platform/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandToAccept } from '../../test/support/command-to-accept.js';
import { COMMANDS, cancelCommand } from '../../test/support/commands.js';
import { dispatch as dispatchOne } from '../../test/support/dispatch.js';
import { startIdlePlatform } from '../../test/support/idle-platform.js';
import { openPool, openSession } from '../../test/support/open-pool.js';
import { sweeperOfEverySlot } from '../../test/support/owned-slots.js';
import { createRedeliveringReporter } from '../../test/support/reporter.js';
import { silent } from '../../test/support/silent.js';
import { untilServed } from '../../test/support/until-served.js';
import type { Database } from '../foundation/database/database.js';
import { newId } from '../foundation/ids.js';
import { localSignals } from '../foundation/signals/signals.js';
import { createCommandAccepter } from './accept.js';
import { inProcessBus } from './bus/in-process-bus.js';
import type { Report, ReportOutcome } from './reports.js';
import { cancel, dispatch, expire, INITIAL, isTerminal, report, type State } from './transitions.js';

/** fast-check prints the seed of a failure; a slow machine runs fewer cases. */
const SEQUENTIAL = { numRuns: 40, interruptAfterTimeLimit: 30_000 };
/** A race cannot be reproduced with a smaller one, so there is no shrinking. */
const RACING = { numRuns: 40, interruptAfterTimeLimit: 30_000, endOnFailure: true };

const platform = await startIdlePlatform();
const superuser = openSession(platform.superuserUrl, { max: 4, fetch_types: false });
/** Two nodes, with their separate resources. */
const nodes = [0, 1].map(() => {
  const database = openPool(platform.databaseUrl);
  const signals = localSignals();
  return {
    database,
    report: createRedeliveringReporter(database, signals, silent().metrics),
    sweep: sweeperOfEverySlot({
      ...silent(),
      database,
      signals,
      bus: inProcessBus(),
      intervalMs: 0,
    }),
  };
});

type Node = {
  database: Database;
  report: (report: Report) => Promise<ReportOutcome>;
  sweep: () => Promise<number>;
};

const nodeOf = (index: number) => nodes[index % 2] as Node;
const accept = createCommandAccepter(nodeOf(0).database);

type Said = Omit<CommandUpdate, 'command_id' | 'occurred_at'>;

type Happening =
  | { kind: 'dispatch' | 'cancel' | 'deadline' }
  | { kind: 'report'; said: Said; of: 'ITS_ADAPTER' | 'ANOTHER_TENANT' | 'ANOTHER_VENDOR' | 'UNKNOWN_COMMAND' };

const { adapter_status, device_execution_status } = CommandUpdate.shape;

/** Every pair of statuses that an update may have. */
const statuses: Said[] = [undefined, ...adapter_status.unwrap().options]
  .flatMap((adapter) =>
    [undefined, ...device_execution_status.unwrap().options].map((device) => ({
      ...(adapter && { adapter_status: adapter }),
      ...(device && { device_execution_status: device }),
    })),
  )
  .slice(1);

const said: fc.Arbitrary<Said> = fc
  .tuple(
    fc.constantFrom(...statuses),
    fc.option(fc.record({ number: fc.nat(99) }), { nil: undefined }),
    fc.option(fc.record({ code: fc.constantFrom('BUSY', 'LOST'), message: fc.constant('') }), { nil: undefined }),
  )
  .map(([status, result, status_reason]) => ({
    ...status,
    ...(result && { result }),
    ...(status_reason && { status_reason }),
  }));

const progress: fc.Arbitrary<Said> = fc.constantFrom<Said>(
  { adapter_status: 'DELIVERED' },
  { device_execution_status: 'IN_PROGRESS' },
);

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('dispatch' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('cancel' as const, 'deadline' as const) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      said: fc.oneof(said, progress),
      of: fc.oneof(
        { weight: 6, arbitrary: fc.constant('ITS_ADAPTER' as const) },
        {
          weight: 1,
          arbitrary: fc.constantFrom('ANOTHER_TENANT' as const, 'ANOTHER_VENDOR' as const, 'UNKNOWN_COMMAND' as const),
        },
      ),
    }),
  },
);

/** The steps of a life; some are repeated. */
const step = fc.record({ happening, times: fc.constantFrom(1, 1, 1, 2) });

async function newCommands(count: number): Promise<string[]> {
  const { tenant_id: tenantId, client_id: clientId } = platform.demo;
  const acceptances = await Promise.all(
    Array.from({ length: count }, () =>
      accept({
        caller: { tenantId, clientId },
        command: commandToAccept(),
      }),
    ),
  );
  return acceptances.map((acceptance) => {
    if (acceptance.outcome !== 'ACCEPTED') throw new Error(acceptance.outcome);
    return acceptance.command_id;
  });
}

const isOpen = async (id: string) =>
  (await superuser`select from commands where command_id = ${id} and completed_at is null`).length > 0;

/** Runs a step on a node, and returns the result of a report. */
async function make(id: string, happening: Happening, node: number): Promise<ReportOutcome | null> {
  const { tenant_id } = platform.demo;
  const { database, report } = nodeOf(node);
  switch (happening.kind) {
    case 'dispatch':
      await dispatchOne(database, tenant_id, id);
      return null;
    case 'cancel': {
      const { status } = await untilServed(() => cancelCommand(platform.demo, id));
      expect([200, 409]).toContain(status);
      return null;
    }
    case 'deadline':
      // No role of the platform may change a deadline. The sweep mark of a new database is the time of its
      // installation.
      await superuser`
        update commands set deadline_at = date_trunc('milliseconds', now()) where command_id = ${id}`;
      // What another transaction has locked for long is left to a later round.
      do await Promise.all(nodes.map(({ sweep }) => sweep()));
      while (await isOpen(id));
      return null;
    case 'report':
      return report({
        tenantId: happening.of === 'ANOTHER_TENANT' ? 'platform' : tenant_id,
        vendor: happening.of === 'ANOTHER_VENDOR' ? 'vendor_b' : 'vendor_a',
        sentAt: new Date(),
        update: { command_id: happening.of === 'UNKNOWN_COMMAND' ? newId() : id, ...happening.said },
      });
  }
}

type Entry = { source: 'PLATFORM' | 'ADAPTER' | 'DEVICE'; state: State; reason: object | null };

/** The expected state of a command, by the transition table. */
type Model = {
  state: State;
  history: Entry[];
  result: object | null;
  reason: object | null;
  lateResult: object | null;
};

const newModel = (): Model => ({
  state: INITIAL,
  history: [{ source: 'PLATFORM', state: INITIAL, reason: null }],
  result: null,
  reason: null,
  lateResult: null,
});

const wordsOf = ({ adapter_status, device_execution_status }: Said) => ({
  ...(adapter_status && { adapter_status }),
  ...(device_execution_status && { device_execution_status }),
});

const same = (one: State, other: State) =>
  one.status === other.status &&
  one.adapter_status === other.adapter_status &&
  one.device_execution_status === other.device_execution_status;

const isWord = (status: string | undefined, ...steps: string[]) => status !== undefined && !steps.includes(status);

const reasons: Partial<Record<State['status'], object>> = {
  EXPIRED: { code: 'EXPIRED', message: expect.any(String) },
  // The bus of this test has no readers.
  TIMED_OUT: { code: 'NO_ADAPTER', message: expect.any(String) },
  CANCELED: { code: 'CANCELED', message: expect.any(String) },
};

/** Applies a step to the model, and returns the expected result of a report. */
function follow(model: Model, happening: Happening): ReportOutcome | null {
  if (happening.kind !== 'report') {
    const after = { dispatch, cancel, deadline: expire }[happening.kind](model.state);
    if (!after) return null;
    const reason = reasons[after.status] ?? null;
    model.history.push({ source: 'PLATFORM', state: after, reason });
    model.state = after;
    model.reason = reason;
    return null;
  }
  const { of, said } = happening;
  if (of !== 'ITS_ADAPTER') return 'UNKNOWN';
  if (model.state.status === 'ACCEPTED') return 'TOO_EARLY';
  const source = said.device_execution_status ? 'DEVICE' : 'ADAPTER';
  const reason = said.status_reason ?? null;
  if (isTerminal(model.state)) {
    const isResult = isWord(said.adapter_status, 'DELIVERED') || isWord(said.device_execution_status, 'IN_PROGRESS');
    // After a result progress says nothing new. A command that platform or adapter gave up may still make some.
    const end = model.history.find((entry) => isTerminal(entry.state));
    const isGivenUp = model.state.status === 'TIMED_OUT' && model.state.device_execution_status === 'UNKNOWN';
    if (!isResult && end?.source !== 'PLATFORM' && !isGivenUp) return 'REPEATED';
    const state = { ...model.state, ...wordsOf(said) };
    if (model.history.some((entry) => same(entry.state, state))) return 'REPEATED';
    model.history.push({ source, state, reason });
    if (isResult) {
      model.lateResult ??= {
        received_at: expect.any(String),
        adapter_status: said.adapter_status ?? null,
        device_execution_status: said.device_execution_status ?? null,
        status_reason: reason,
        result: said.result ?? null,
      };
    }
    return 'LATE';
  }
  const after = report(model.state, wordsOf(said));
  if (!after) return 'REPEATED';
  model.history.push({ source, state: after, reason });
  model.state = after;
  model.result = said.result ?? model.result;
  if (isTerminal(after)) model.reason = reason;
  return 'CHANGED';
}

type Life = { record: Answer['body']; history: (Entry & { at: string })[]; logged: string[]; queued: string[] };

/** The stored state of a command, with its events and its outbox rows. */
async function read(id: string): Promise<Life> {
  const { status, raw, body } = await untilServed(() => signedRequest(platform.demo, 'GET', `${COMMANDS}/${id}`));
  if (status !== 200) throw new Error(raw);
  const events = await superuser`select event_type from events where command_id = ${id} order by seq`;
  const rows = await superuser`select kind from outbox where fact_id = ${id} order by kind`;
  const { history, ...record } = body;
  return {
    record,
    history: history.map((entry: Answer['body']) => ({
      at: entry.at,
      source: entry.source,
      state: stateOf(entry),
      reason: entry.reason,
    })),
    logged: events.map(({ event_type }) => event_type),
    queued: rows.map(({ kind }) => kind),
  };
}

const stateOf = ({ status, adapter_status, device_execution_status }: Answer['body']): State => ({
  status,
  adapter_status,
  device_execution_status,
});

/** The invariants of every command in any state. */
function expectOneEnd({ record, history, logged, queued }: Life): void {
  const end = history.find(({ state }) => isTerminal(state));
  expect(stateOf(record)).toEqual((end ?? history.at(-1))?.state);
  const isTold = end !== undefined || record.dispatched_at !== null;
  expect(logged).toEqual([...(isTold ? ['command.accepted'] : []), ...(end ? ['command.completed'] : [])]);
  expect(queued).toEqual(['COMMAND_ACCEPTED']);
  const instants = history.map(({ at }) => at);
  expect([...new Set(instants)].sort()).toEqual(instants);
  expect([record.accepted_at, record.updated_at]).toEqual([instants[0], instants.at(-1)]);
  expect(record.completed_at).toBe(end?.at ?? null);
}

test('a command always matches the transition table, with exact events, each once', async () => {
  /** The commands live in parallel, so that they share transactions; the steps of one command run in sequence. */
  const lives = fc.array(fc.array(step, { maxLength: 12 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(lives, async (lives) => {
      const ids = await newCommands(lives.length);
      const models = await Promise.all(
        lives.map(async (steps, index) => {
          const model = newModel();
          for (const [position, { happening, times }] of steps.entries()) {
            for (let time = 0; time < times; time++) {
              const expected = follow(model, happening);
              expect(await make(ids[index] as string, happening, position + time)).toBe(expected);
            }
          }
          return model;
        }),
      );
      for (const [index, life] of (await Promise.all(ids.map(read))).entries()) {
        const { state, history, result, reason, lateResult } = models[index] as Model;
        expect(life.history).toEqual(history.map((entry) => ({ ...entry, at: expect.any(String) })));
        expect(stateOf(life.record)).toEqual(state);
        expect([life.record.result, life.record.status_reason]).toEqual([result, reason]);
        expect(life.record.late_result).toEqual(lateResult);
        expectOneEnd(life);
      }
    }),
    SEQUENTIAL,
  );
});

/** Whether one step can lead from the one state to the other. */
function isMove(before: State, after: State): boolean {
  if (isTerminal(before)) return false;
  const made = [
    dispatch(before),
    cancel(before),
    expire(before),
    ...statuses.map((said) => report(before, wordsOf(said))),
  ];
  return made.some((state) => state !== null && same(state, after));
}

const isLate = (end: State, entry: State) => statuses.some((said) => same(entry, { ...end, ...wordsOf(said) }));

type Made = { id: string; happening: Happening; outcome: ReportOutcome | null };

/** The invariants of a command after any race. */
function expectLegal({ record, history }: Life, made: readonly Made[]): void {
  const states = history.map(({ state }) => state);
  expect(states[0]).toEqual(INITIAL);
  const end = states.findIndex(isTerminal);
  const moves = end === -1 ? states : states.slice(0, end + 1);
  for (const [index, state] of moves.slice(1).entries()) {
    expect(isMove(moves[index] as State, state), JSON.stringify(states)).toBe(true);
  }
  const late = states.slice(moves.length);
  for (const entry of late) expect(isLate(moves.at(-1) as State, entry), JSON.stringify(states)).toBe(true);
  expect(new Set(states.map((state) => JSON.stringify(state))).size).toBe(states.length);

  // One entry for each report whose result was an entry, and for no other.
  const reports = (outcome: ReportOutcome) => made.filter((one) => one.outcome === outcome);
  const moved = history.slice(0, moves.length).filter(({ source }) => source !== 'PLATFORM');
  expect(moved).toHaveLength(reports('CHANGED').length);
  expect(late).toHaveLength(reports('LATE').length);
  for (const { happening, outcome } of made) {
    if (happening.kind !== 'report') continue;
    expect(outcome === 'UNKNOWN').toBe(happening.of !== 'ITS_ADAPTER');
  }
  const results = reports('CHANGED').flatMap(
    ({ happening }) => (happening.kind === 'report' && happening.said.result) || [],
  );
  if (record.result === null) expect(results).toEqual([]);
  else expect(results).toContainEqual(record.result);
  // Nothing else runs, so a command past its deadline has ended.
  if (made.some(({ happening }) => happening.kind === 'deadline')) expect(end).not.toBe(-1);
}

test('whatever races on two nodes, a command makes legal moves one after the other, to one end with one event', async () => {
  /** The steps of a round run at the same time, on each of the commands. */
  const rounds = fc.array(fc.array(step, { minLength: 2, maxLength: 6 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(rounds, fc.boolean(), async (rounds, isHandedOut) => {
      const ids = await newCommands(4);
      const made: Made[] = [];
      if (isHandedOut) await Promise.all(ids.map((id) => make(id, { kind: 'dispatch' }, 0)));
      for (const steps of rounds) {
        const happenings = steps.flatMap(({ happening, times }) => Array.from({ length: times }, () => happening));
        const making = ids.flatMap((id) =>
          happenings.map(async (happening, position) => ({
            id,
            happening,
            outcome: await make(id, happening, position),
          })),
        );
        made.push(...(await Promise.all(making)));
        // Commands that the other sweeps skipped because they were locked.
        await nodeOf(0).sweep();
      }
      for (const life of await Promise.all(ids.map(read))) {
        expectOneEnd(life);
        expectLegal(
          life,
          made.filter(({ id }) => id === life.record.command_id),
        );
      }
    }),
    RACING,
  );
});
