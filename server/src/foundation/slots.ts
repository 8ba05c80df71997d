import { createHash } from 'node:crypto';

/**
 * A tenant belongs to one of 16 slots. The event log is in order within a slot, and each slot has a lease of its own: no
 * promise orders anything across tenants. The database knows the same function as tenant_slot_v1.
 */
export const SLOTS = 16;
export const allSlots: readonly number[] = Array.from({ length: SLOTS }, (_, slot) => slot);

export const slotOf = (tenantId: string): number => createHash('sha256').update(tenantId).digest().readUInt8() % SLOTS;

export const slotsOf = (rows: readonly { tenant_id: string }[]): number[] => [
  ...new Set([...new Set(rows.map(({ tenant_id }) => tenant_id))].map(slotOf)),
];
