import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { localSignals } from '../../foundation/signals/signals.js';
import { createWatchdog } from '../../foundation/telemetry/watchdog.js';
import type { OwnedSlot, SlotOwner } from './slot-owner.js';
import { type Step, startSteps } from './steps.js';

/** An owner without a database. `given`: the slots that it gets with its first renewal. */
function createOwner(given: readonly OwnedSlot[]) {
  let owned: readonly OwnedSlot[] = [];
  let changed = () => {};
  const renew = vi.fn(async () => {
    const isNew = owned !== given;
    owned = given;
    if (isNew) changed();
    return { isWhole: true, hasRows: false };
  });
  const owner: SlotOwner = {
    owned: () => owned,
    mayPublish: () => true,
    onChange(listener) {
      const before = changed;
      changed = () => {
        before();
        listener();
      };
    },
    onUnstored: () => {},
    renew,
    acknowledge: () => {},
    giveWay: () => {},
    transaction: () => Promise.reject(new Error('There is no database.')),
    release: vi.fn(async () => [] as never),
  };
  return { owner, renew };
}

const slotOf = (slot: number): OwnedSlot => ({ slot, epoch: '1', seq: '0' });

function start(owner: SlotOwner, steps: readonly Step[], watchdog = createWatchdog()) {
  const running = startSteps(owner, steps, { logger: pino({ level: 'silent' }), signals: localSignals(), watchdog });
  onTestFinished(() => running.stop());
  return running;
}

test('a worker whose vital loop hangs does not renew its slots, so that others take them', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const watchdog = createWatchdog();
  const roundDone = watchdog.watchRounds('relay', { everyMs: 500, isVital: true });
  const { owner, renew } = createOwner([slotOf(3)]);
  vi.advanceTimersByTime(11_000);
  start(owner, [], watchdog);
  await new Promise(setImmediate);
  expect(renew).not.toHaveBeenCalled();
  roundDone();
  await vi.waitFor(() => expect(renew).toHaveBeenCalled(), { timeout: 5_000 });
});

test('a step of slots works on those that are owned; one of the platform runs where slot 0 is', async () => {
  const rounds: string[] = [];
  const stepOf = (name: string, of: Step['of']): Step => ({
    name,
    promise: '',
    of,
    everyMs: 60_000,
    async round({ slots }) {
      rounds.push(`${name} ${slots.map(({ slot }) => slot).join()}`);
      return 'WAIT';
    },
  });
  const steps = [stepOf('slots', 'SLOTS'), stepOf('platform', 'PLATFORM')];
  const without = createOwner([slotOf(3), slotOf(4)]);
  start(without.owner, steps);
  await vi.waitFor(() => expect(rounds).toEqual(['slots 3,4']));
  rounds.length = 0;
  const withFirst = createOwner([slotOf(0), slotOf(4)]);
  start(withFirst.owner, steps);
  await vi.waitFor(() => expect(rounds.toSorted()).toEqual(['platform 0', 'slots 0,4']));
});
