import type { Bus } from '../bus/bus.js';
import { lastKnown } from '../waiting/shared.js';

/** About a second of work. NATS refuses an adapter's updates above 5,000: see streams.ts. */
const MANY_UPDATES = 2_000;
const COUNT_EVERY_MS = 250;
/** Without an answer of the bus for this time nobody is held. */
const VALID_MS = 5_000;

/**
 * The tenants with many unhandled updates on the bus. The relay does not take their rows, so that their backlog stays in
 * the outbox, where tenants take turns and where new commands of this tenant alone are refused. On the bus it would
 * delay the updates of all tenants.
 */
export function createHeldTenants(bus: Pick<Bus, 'untakenUpdates'>): () => readonly string[] {
  const held = lastKnown(
    async () =>
      [...(await bus.untakenUpdates())].flatMap(([tenantId, count]) => (count > MANY_UPDATES ? [tenantId] : [])),
    { unknown: [] as string[], everyMs: COUNT_EVERY_MS, validMs: VALID_MS },
  );
  return held.value;
}
