import type { Database } from '../../src/foundation/database/database.js';
import type { Purge } from '../../src/foundation/database/purge-by-age.js';
import { asAllTenants, asAllTenantsImpatiently } from '../../src/foundation/database/row-level-security.js';
import { type Looping, topics } from '../../src/foundation/signals/signals.js';
import { allSlots } from '../../src/foundation/slots.js';
import { createEventPublisher } from '../../src/pipeline/outbox/publish.js';
import { createRelay, type RelayOptions } from '../../src/pipeline/outbox/relay.js';
import { createSlotOwner, type SlotOwner } from '../../src/pipeline/slots/slot-owner.js';
import { type Owned, startSteps } from '../../src/pipeline/slots/steps.js';
import { createCommandSweeper } from '../../src/pipeline/sweeper.js';

/** For a round of a step: all slots, whoever owns them. */
export const everySlot = (database: Database): Owned => ({
  slots: allSlots.map((slot) => ({ slot, epoch: '0', seq: '0' })),
  transaction: (work, slots = allSlots) => asAllTenantsImpatiently(database, (tx) => work(tx, slots)),
});

export const purgeRound = (database: Database, { round }: Purge) => asAllTenants(database, round);

/** A test renews beside the loop of the steps. The worker must not see the older of two answers last. */
function renewingInTurn(owner: SlotOwner): SlotOwner {
  let turn: Promise<unknown> = Promise.resolve();
  const renew = () => {
    const renewed = turn.then(owner.renew);
    turn = renewed.catch(() => {});
    return renewed;
  };
  return { ...owner, renew };
}

type Options = Omit<RelayOptions, 'owner'> & { database: Database } & Pick<
    Parameters<typeof createEventPublisher>[0],
    'readEvents'
  > &
  Looping & { compare?: () => Promise<boolean> };

/** A worker that publishes rows and events, and does nothing else. */
export function startRelay({ compare = async () => true, ...options }: Options) {
  const owner = renewingInTurn(createSlotOwner({ ...options, compare, onRenewed() {} }));
  const step = { promise: '', of: 'SLOTS', everyMs: 500 } as const;
  const relay = {
    ...step,
    name: 'relay',
    takesRows: true,
    isVital: true,
    topics: (slots: readonly number[]) => slots.map(topics.outbox),
    ...createRelay({ ...options, owner }),
  };
  const publishing = {
    ...step,
    name: 'publishing of events',
    pauseMs: 50,
    topics: (slots: readonly number[]) => slots.map(topics.eventLog),
    round: createEventPublisher({ ...options, owner }),
  };
  const { logger, signals, watchdog } = options;
  return { ...startSteps(owner, [relay, publishing], { logger, signals, watchdog }), renew: owner.renew };
}

/** A sweeper of all slots, whoever owns them. */
export function sweeperOfEverySlot(options: Parameters<typeof createCommandSweeper>[0]): () => Promise<number> {
  const owned = everySlot(options.database);
  const sweep = createCommandSweeper(options);
  return () => sweep(owned);
}
