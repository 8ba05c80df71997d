import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/**
 * A tenant belongs to one of 16 slots. The event log is in order within a slot, and each slot has an owner of its own: no
 * promise orders anything across tenants. The database knows the same function as tenant_slot_v1.
 */
const SLOTS = 16;
export const allSlots: readonly number[] = Array.from({ length: SLOTS }, (_, slot) => slot);

/** Each command asks several times: hashing took 2 % of the CPU of a node. */
const known = new LRUCache<string, number>({
  max: 10_000,
  memoMethod: (tenantId) => createHash('sha256').update(tenantId).digest().readUInt8() % SLOTS,
});

export const slotOf = (tenantId: string): number => known.memo(tenantId);

export const slotsOf = (rows: readonly { tenant_id: string }[]): number[] => [
  ...new Set([...new Set(rows.map(({ tenant_id }) => tenant_id))].map(slotOf)),
];
