import { atEnd, type Profile } from '@tenant-open-platform/testing';
import { expect, vi } from 'vitest';
import { allSlots, slotOf } from '../../src/foundation/slots.js';
import type { Cell } from './cells.js';
import { followOverHttp } from './event-followers.js';
import { newPrincipal } from './new-principal.js';
import { startCaller } from './start-caller.js';
import { storedEvents, storedGenerations } from './stored.js';

const PER_SECOND = 3;
/** On a machine that is too busy. */
const BUSY = 'SERVICE_UNAVAILABLE';
const soon = { timeout: 60_000, interval: 50 };

/** An id of a tenant in this slot. */
function tenantInSlot(slot: number): string {
  for (let number = 0; ; number++) if (slotOf(`neighbour-${number}`) === slot) return `neighbour-${number}`;
}

/** Two tenants that share the most with this one: one has its slot, one the slot before. */
export function neighboursOf(tenantId: string): string[] {
  const slot = slotOf(tenantId);
  return [slot, (slot + allSlots.length - 1) % allSlots.length].map(tenantInSlot);
}

type Place = Pick<Cell, 'call' | 'newProfile' | 'serve' | 'database'>;

/**
 * Two tenants that nothing happens to, while something happens to another one. Both send commands, which their adapters
 * carry out, and follow their events over HTTP.
 */
export async function startNeighbours(cell: Place, tenantId: string) {
  const start = async (tenant_id: string) => {
    await cell.call('POST', 'platform/tenants', { tenant_id, name: tenant_id });
    await cell.call('POST', `platform/tenants/${tenant_id}/bus/principals`, newPrincipal());
    const profile: Profile = await cell.newProfile(tenant_id, 'integration_operator');
    await cell.serve(tenant_id);
    const caller = startCaller(profile, { perSecond: PER_SECOND });
    atEnd(caller.giveUp);
    return { tenant_id, caller, follower: followOverHttp(profile) };
  };
  const neighbours = await Promise.all(neighboursOf(tenantId).map(start));

  return {
    /** They have noticed nothing: each event came once, in order; no generation began; only load has refused a request. */
    async check(): Promise<void> {
      for (const { caller, follower, tenant_id } of neighbours) {
        const { accepted, refusals } = await caller.stop();
        expect(accepted.length).toBeGreaterThan(0);
        expect([...refusals, ...follower.refusals].filter((code) => code !== BUSY)).toEqual([]);
        const logged = async () =>
          (await storedEvents(cell.database)).flatMap((event) => (event.tenant_id === tenant_id ? event.event_id : []));
        await vi.waitFor(async () => expect(await logged()).toHaveLength(2 * accepted.length), soon);
        const log = await logged();
        await vi.waitFor(() => expect(follower.seen.length).toBeGreaterThanOrEqual(log.length), soon);
        expect(follower.seen).toEqual(log);
        expect([follower.restoredAt.size, follower.ended()]).toEqual([0, null]);
      }
      expect(await storedGenerations(cell.database)).toEqual(['FIRST']);
    },
  };
}
