import { lastKnown } from '../../foundation/concurrency/shared-reads.js';
import type { Bus } from '../bus/bus.js';

/** About a second of work. NATS refuses an adapter's updates above 5,000: see streams.ts. */
const MANY_UPDATES = 2_000;
/** The limit for all tenants together. Above it, each tenant may have an equal share. */
const MANY_OF_ALL = 4_000;
const LEAST_SHARE = 50;
const COUNT_EVERY_MS = 100;
/**
 * A count mostly waits for the busy event loop of this process. With a twentieth of the time, counts were up to a second
 * apart, and a drain came near the 5,000 updates above which NATS refuses (4,468 seen).
 */
const SHARE_OF_TIME = 0.25;
/** If the bus has not answered for this time, no tenant is paused. */
const VALID_MS = 15_000;

/** The tenants with more updates than they may have. */
export function tenantsWithMany(counts: ReadonlyMap<string, number>): string[] {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const share = total > MANY_OF_ALL ? Math.max(LEAST_SHARE, MANY_OF_ALL / counts.size) : MANY_UPDATES;
  return [...counts].flatMap(([tenantId, count]) => (count > Math.min(share, MANY_UPDATES) ? [tenantId] : []));
}

/**
 * The tenants with many unhandled updates on the bus. The relay leaves their rows in the outbox, where tenants take
 * turns and where only their own new commands are refused. On the bus they would delay the updates of all tenants.
 */
export function createPausedTenants(bus: Pick<Bus, 'untakenUpdates'>): () => readonly string[] {
  return lastKnown(async () => tenantsWithMany(await bus.untakenUpdates()), {
    unknown: [] as string[],
    everyMs: COUNT_EVERY_MS,
    validMs: VALID_MS,
    share: SHARE_OF_TIME,
  }).value;
}
