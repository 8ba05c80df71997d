import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { durables, subjects } from '@tenant-open-platform/contract/bus';
import { and, eq, gt, isNull, or, sql } from 'drizzle-orm';
import type { Database } from '../foundation/database/database.js';
import { asAllTenants } from '../foundation/database/row-level-security.js';
import { type Looping, startLoop, topics } from '../foundation/signals/signals.js';
import { busPrincipals, tenants } from '../foundation/tables.js';
import type { Bus, Durable } from './bus/bus.js';
import { vendors } from './tables.js';

/** Every this many runs all durables are provided again, in case one was deleted. */
const ALL_AGAIN_AFTER_RUNS = 10;

/** For lost signals, and for changes without a signal, such as a tenant that is ACTIVE again. */
const INTERVAL_MS = 60_000;

/** Provides durables in the background, including those for new principals and vendors. */
export function startProvisioning(database: Database, bus: Bus, { signals, ...loop }: Looping) {
  bus.onRestored(() => signals.send([topics.busAccess]));
  const options = { name: 'provisioning', signals, topics: [topics.busAccess], ...loop };
  const provision = createConsumerProvisioner(database, bus);
  return startLoop(INTERVAL_MS, options, async () => {
    const failures: unknown[] = [];
    for (const step of [() => bus.keepStreams(), provision]) {
      await step().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Streams or durables could not be created.');
  });
}

/**
 * Provides the durables that principals read, and deletes none: a principal that returns continues at its position. A
 * run provides durables that are new to this process, or all of them after streams were lost and recreated.
 */
export function createConsumerProvisioner(database: Database, bus: Bus): () => Promise<void> {
  const provided = new Set<string>();
  let runs = 0;
  bus.onRestored(() => {
    runs = 0;
  });
  return async () => {
    if (runs++ % ALL_AGAIN_AFTER_RUNS === 0) provided.clear();
    const failures: unknown[] = [];
    for (const [key, durable] of await wantedDurables(database)) {
      if (provided.has(key)) continue;
      await bus.provide(durable).then(
        () => provided.add(key),
        (error: unknown) => failures.push(error),
      );
    }
    // A durable that NATS refuses must not stop the next ones.
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} durables could not be created.`);
  };
}

/** Principals of a tenant that serve the same vendor share its durables. */
async function wantedDurables(database: Database): Promise<Map<string, Durable>> {
  const mayConnect = and(
    eq(tenants.status, 'ACTIVE'),
    eq(busPrincipals.status, 'ACTIVE'),
    or(isNull(busPrincipals.expiresAt), gt(busPrincipals.expiresAt, sql`now()`)),
  );
  const [principals, enabled] = await asAllTenants(database, async (tx) => [
    await tx
      .select({ principal: busPrincipals, vendorsOfTenant: tenants.vendors })
      .from(busPrincipals)
      .innerJoin(tenants, eq(tenants.tenantId, busPrincipals.tenantId))
      .where(mayConnect),
    await tx.select().from(vendors).where(eq(vendors.enabled, true)),
  ]);
  const wanted = principals.flatMap(({ principal, vendorsOfTenant }) => {
    if (principal.principalType === 'CLIENT') return ofClient(principal);
    return enabled
      .filter(({ vendor }) => [principal.vendors, vendorsOfTenant].every((limit) => limit?.includes(vendor) ?? true))
      .flatMap(({ vendor }) => ofAdapter(principal.tenantId, vendor));
  });
  return new Map(wanted.map((durable) => [`${durable.stream} ${durable.durable}`, durable]));
}

function ofAdapter(tenantId: string, vendor: string): Durable[] {
  const durable = durables.adapter(tenantId, vendor);
  const served = tenantId === PLATFORM_TENANT_ID ? '*' : tenantId;
  return [
    { stream: 'TOP_COMMANDS', durable, subjects: [subjects.command(served, vendor)] },
    { stream: 'TOP_REPLIES', durable, subjects: [subjects.deviceReply(served, vendor)] },
  ];
}

const ofClient = ({ tenantId, principalId }: { tenantId: string; principalId: string }): Durable => ({
  stream: 'TOP_EVENTS',
  durable: durables.events(tenantId, principalId),
  subjects: [subjects.event(tenantId, '>')],
});
