import { slotOf } from '../../foundation/slots.js';
import type { Message } from '../bus/bus.js';
import type { OutboxRow } from '../tables.js';

/** The messages to publish, each with its outbox row. */
export type Prepared = ReadonlyMap<Message, OutboxRow>;

/** How many batches may wait for the bus while the next one is prepared. */
const MAX_BATCHES = 3;

/** The batches that wait for the bus, and the rows that must not be taken: published, and not deleted yet. */
export function createInFlight() {
  const batches = new Set<Promise<void>>();
  const positions = new Set<string>();
  let acknowledged: OutboxRow[] = [];
  let hasFailed = false;

  return {
    positions: () => [...positions],
    hasFailed: () => hasFailed,
    isEmpty: () => batches.size === 0 && acknowledged.length === 0 && !hasFailed,

    /** Resolves once there is room for another batch. */
    async untilRoom(): Promise<void> {
      while (batches.size >= MAX_BATCHES) await Promise.race(batches);
    },
    /** Resolves once a batch has ended, or at once if none waits. */
    untilProgress: async (): Promise<void> => void (batches.size > 0 && (await Promise.race(batches))),
    /** Resolves once no batch waits for the bus. */
    untilSettled: async (): Promise<void> => void (await Promise.all(batches)),

    /** `publish` must not reject. It resolves to whether the bus has acknowledged the whole batch. */
    add(prepared: Prepared, publish: (prepared: Prepared) => Promise<boolean>): void {
      for (const { position } of prepared.values()) positions.add(position);
      const batch = publish(prepared).then((isAcknowledged) => {
        batches.delete(batch);
        if (isAcknowledged) acknowledged.push(...prepared.values());
        else hasFailed = true;
      });
      batches.add(batch);
    },

    /** The rows of these slots to delete. */
    acknowledgedOf: (slots: readonly number[]): OutboxRow[] =>
      acknowledged.filter(({ tenant_id }) => slots.includes(slotOf(tenant_id))),

    /** Their deletion has been committed. */
    deleted(rows: readonly OutboxRow[]): void {
      const gone = new Set(rows);
      acknowledged = acknowledged.filter((row) => !gone.has(row));
      for (const { position } of rows) positions.delete(position);
    },

    /** Call it once no batch waits: rows of these slots without an acknowledgement are taken again. */
    startOver(slots: readonly number[]): void {
      hasFailed = false;
      acknowledged = acknowledged.filter(({ tenant_id }) => slots.includes(slotOf(tenant_id)));
      positions.clear();
      for (const { position } of acknowledged) positions.add(position);
    },
  };
}
