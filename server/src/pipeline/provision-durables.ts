import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { durables, subjects } from '@tenant-open-platform/contract/bus';
import { and, eq, gt, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { Database } from '../foundation/database/database.js';
import { asAllTenants } from '../foundation/database/row-level-security.js';
import { fixedSql, statement } from '../foundation/database/statement.js';
import { type Looping, startLoop, topics } from '../foundation/signals/signals.js';
import { busPrincipals, tenants } from '../foundation/tables.js';
import { boundedLog, ONCE_A_MINUTE } from '../foundation/telemetry/logger.js';
import type { Bus, Durable, RefusedDurable } from './bus/bus.js';
import { vendors } from './tables.js';

/** Every this many runs all durables are looked at, in case one was deleted. */
const ALL_AGAIN_AFTER_RUNS = 10;

/** For lost signals, for refused durables, and for changes without a signal, such as a tenant that is ACTIVE again. */
const INTERVAL_MS = 60_000;

/** Provides durables in the background, including those for new principals and vendors. */
export function startProvisioning(database: Database, bus: Bus, { signals, ...loop }: Looping) {
  const provision = createProvisioner(database, bus);
  bus.onRestored(() => signals.send([topics.busAccess]));
  const log = boundedLog(loop.logger, ONCE_A_MINUTE);
  let refusedNow = 0;
  const looping = startLoop(
    INTERVAL_MS,
    { name: 'provisioning', signals, topics: [topics.busAccess], ...loop },
    async () => {
      const failures: unknown[] = [];
      await bus.keepStreams().catch((error: unknown) => failures.push(error));
      try {
        const refused = await provision();
        refusedNow = refused.length;
        const [first] = refused;
        if (first)
          log('error', 'durables', { refused: refusedNow }, `${refusedNow} durables are missing: ${problemOf(first)}`);
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0) throw new AggregateError(failures, 'Streams or durables could not be created.');
    },
  );
  return { ...looping, refused: () => refusedNow };
}

/**
 * Provides the durables that principals read, and deletes none: a principal that returns continues at its position. A
 * run provides durables that are new to this process or were refused, or all of them after streams were lost and
 * recreated. Returns those that are still refused.
 */
export function createProvisioner(database: Database, bus: Bus): () => Promise<RefusedDurable[]> {
  /** Until when its tenant had not changed: a tenant that moved away and came back has lost its durables. */
  const provided = new Map<string, number>();
  let runs = 0;
  bus.onRestored(() => {
    runs = 0;
  });
  return async () => {
    if (runs++ % ALL_AGAIN_AFTER_RUNS === 0) provided.clear();
    const due = (await readersOfDurables(database)).filter(
      ({ problem, isTwice, reads, tenantChangedAt }) =>
        problem !== isTwice || !reads.every((durable) => provided.get(keyOf(durable)) === tenantChangedAt),
    );
    const refused = await provide(database, bus, due);
    for (const { reads, tenantChangedAt } of due) {
      for (const durable of reads) provided.set(keyOf(durable), tenantChangedAt);
    }
    for (const { durable } of refused) provided.delete(keyOf(durable));
    return refused;
  };
}

export type PrincipalKey = { tenantId: string; principalId: string };

/** Provides at once what a principal reads. Returns its problem; null if it has none, or if the bus does not answer. */
export async function provideNow(
  database: Database,
  bus: Pick<Bus, 'provide'>,
  key: PrincipalKey,
): Promise<string | null> {
  const readers = await readersOfDurables(database, key);
  const [refused] = await provide(database, bus, readers).catch(() => []);
  return refused ? problemOf(refused) : (readers[0]?.isTwice ?? null);
}

const keyOf = ({ stream, durable }: Durable) => `${stream} ${durable}`;

const problemOf = ({ durable: { stream, durable }, reason }: RefusedDurable) =>
  `NATS refuses the durable ${durable} of ${stream}: ${reason}. The platform tries again every minute. See docs/nats.md, "Durables".`;

/** Stores the problem of each principal, if it has changed. */
async function provide(database: Database, bus: Pick<Bus, 'provide'>, readers: Reader[]): Promise<RefusedDurable[]> {
  // Principals of a tenant that serve the same vendor share its durables.
  const wanted = new Map(readers.flatMap(({ reads }) => reads.map((durable) => [keyOf(durable), durable])));
  const refused = await bus.provide([...wanted.values()]);
  const problems = new Map(refused.map((one) => [keyOf(one.durable), problemOf(one)]));
  const changed = readers.flatMap(({ tenantId, principalId, problem: known, isTwice, reads }) => {
    const problem = reads.map((durable) => problems.get(keyOf(durable))).find(Boolean) ?? isTwice;
    return problem === known ? [] : { tenant_id: tenantId, principal_id: principalId, problem };
  });
  if (changed.length > 0) await asAllTenants(database, (tx) => tx.execute(newProblems(JSON.stringify(changed))));
  return refused;
}

const newProblems = statement(
  'bus principals: store problems',
  (rows: string) => fixedSql`
    update bus_principals set problem = given.problem
    from json_to_recordset(${rows}::text::json) as given (tenant_id text, principal_id uuid, problem text)
    where bus_principals.tenant_id = given.tenant_id and bus_principals.principal_id = given.principal_id`,
);

/**
 * The tenants and vendors whose devices have sent requests: of one tenant, or of all. It reads one row for each pair,
 * however many requests there are.
 */
const askingDevices = statement(
  'device requests: tenants and vendors',
  (tenantId: string | null) => fixedSql`
    with recursive bounds as (
      select coalesce(${tenantId}::text, min(tenant_id)) as first, coalesce(${tenantId}::text, max(tenant_id)) as last
      from tenants
    ), asking as (
      (
        select tenant_id, vendor from device_requests
        where tenant_id >= (select first from bounds) and tenant_id <= (select last from bounds)
        order by tenant_id, vendor limit 1
      )
      union all
      select later.tenant_id, later.vendor from asking cross join lateral (
        select tenant_id, vendor from device_requests
        where (device_requests.tenant_id, device_requests.vendor) > (asking.tenant_id, asking.vendor)
          and device_requests.tenant_id <= (select last from bounds)
        order by tenant_id, vendor limit 1
      ) as later
    )
    select tenant_id, vendor from asking`,
);

/** `isTwice`: what to say if an adapter of tenant `platform` reads the same commands. */
type Reader = PrincipalKey & {
  problem: string | null;
  isTwice: string | null;
  reads: Durable[];
  tenantChangedAt: number;
};

const readTwice = (vendors: readonly string[]) =>
  `A principal of tenant platform serves ${vendors.join(', ')} too, so each command is delivered to both adapters and executed twice. Disable one of them.`;

/** What each principal reads: nothing while it cannot connect. */
async function readersOfDurables(database: Database, only?: PrincipalKey): Promise<Reader[]> {
  const mayConnect = and(
    eq(tenants.status, 'ACTIVE'),
    eq(busPrincipals.status, 'ACTIVE'),
    or(isNull(busPrincipals.expiresAt), gt(busPrincipals.expiresAt, sql`now()`)),
  );
  const isOnly =
    only && and(eq(busPrincipals.tenantId, only.tenantId), eq(busPrincipals.principalId, only.principalId));
  const isAdapterOfAll = and(
    eq(busPrincipals.tenantId, PLATFORM_TENANT_ID),
    eq(busPrincipals.principalType, 'SERVICE'),
  );
  const [principals, enabled, asking, ofAll] = await asAllTenants(database, async (tx) => [
    await tx
      .select({
        principal: busPrincipals,
        vendorsOfTenant: tenants.vendors,
        tenantChangedAt: tenants.updatedAt,
        mayConnect: sql<boolean>`${mayConnect}`,
      })
      .from(busPrincipals)
      .innerJoin(tenants, eq(tenants.tenantId, busPrincipals.tenantId))
      .where(and(or(mayConnect, isNotNull(busPrincipals.problem)), isOnly)),
    await tx.select().from(vendors).where(eq(vendors.enabled, true)),
    await tx.execute<{ tenant_id: string; vendor: string }>(askingDevices(only?.tenantId ?? null)),
    await tx
      .select({ vendors: busPrincipals.vendors })
      .from(busPrincipals)
      .innerJoin(tenants, eq(tenants.tenantId, busPrincipals.tenantId))
      .where(and(isAdapterOfAll, mayConnect)),
  ]);
  const asks = new Set(asking.map(({ tenant_id, vendor }) => durables.adapter(tenant_id, vendor)));
  return principals.map(({ principal, vendorsOfTenant, mayConnect, ...tenant }) => {
    const { tenantId, principalId, principalType, problem } = principal;
    const served = enabled.filter(({ vendor }) =>
      [principal.vendors, vendorsOfTenant].every((limit) => limit?.includes(vendor) ?? true),
    );
    const reads =
      principalType === 'CLIENT'
        ? [ofClient(principal)]
        : served.flatMap(({ vendor }) => ofAdapter(tenantId, vendor, asks));
    const twice = served.filter(({ vendor }) => ofAll.some(({ vendors }) => vendors?.includes(vendor) ?? true));
    const isAlone = !mayConnect || principalType === 'CLIENT' || tenantId === PLATFORM_TENANT_ID || twice.length === 0;
    const isTwice = isAlone ? null : readTwice(twice.map(({ vendor }) => vendor));
    return {
      tenantId,
      principalId,
      problem,
      isTwice,
      reads: mayConnect ? reads : [],
      tenantChangedAt: tenant.tenantChangedAt.getTime(),
    };
  });
}

/** Most devices send no requests, and a durable of a cluster costs CPU even when it is idle. */
function ofAdapter(tenantId: string, vendor: string, asks: ReadonlySet<string>): Durable[] {
  const durable = durables.adapter(tenantId, vendor);
  const isShared = tenantId === PLATFORM_TENANT_ID;
  const served = isShared ? '*' : tenantId;
  const commands: Durable = { stream: 'TOP_COMMANDS', durable, subjects: [subjects.command(served, vendor)] };
  if (!isShared && !asks.has(durable)) return [commands];
  return [commands, { stream: 'TOP_REPLIES', durable, subjects: [subjects.deviceReply(served, vendor)] }];
}

const ofClient = ({ tenantId, principalId }: PrincipalKey): Durable => ({
  stream: 'TOP_EVENTS',
  durable: durables.events(tenantId, principalId),
  subjects: [subjects.event(tenantId, '>')],
});
