import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type PgColumn, type PgTable } from 'drizzle-orm/pg-core';
import { auditEvents } from '../../../platform/audit/audit-events.table.js';
import type { Bus } from '../../../platform/bus/bus.js';
import { parkedMessages } from '../../../platform/bus/parked-messages.table.js';
import type { Database, Transaction } from '../../../platform/database/database.js';
import { asAllTenants } from '../../../platform/database/roles.js';
import { firstIdAt } from '../../../platform/new-id.js';
import { events } from '../../../platform/outbox/events.table.js';
import { outbox } from '../../../platform/outbox/outbox.table.js';
import type { Purge } from '../../../platform/retention/purge.js';
import { policies } from '../../access/policies.table.js';
import { roleBindings } from '../../access/role-bindings.table.js';
import { roles } from '../../access/roles.table.js';
import { busPrincipals } from '../../bus-principals/bus-principals.table.js';
import { callbackEndpoints } from '../../callbacks/callback-endpoints.table.js';
import { callbackSubscriptions } from '../../callbacks/callback-subscriptions.table.js';
import { commands } from '../../commands/commands.table.js';
import { deviceRequests } from '../../device-requests/device-requests.table.js';
import { credentials } from '../../identity/credentials.table.js';
import { objectCredentials } from '../../objects/object-credentials.table.js';
import { objectGrants } from '../../objects/object-grants.table.js';
import { objectResources } from '../../objects/object-resources.table.js';

/** Rows that one statement deletes at most: it holds their locks, and keeps other tenants waiting, for milliseconds. */
const BATCH = 500;
/**
 * The deletion ends this long after its request at the earliest. A change that was admitted before the request is over
 * by then, and whatever it stored is found by a last pass over all tables.
 */
const SETTLED_AFTER_MS = 30_000;

type Deleting = { tenant_id: string; is_settled: boolean; created_at: string };
type Step = (tx: Transaction, tenant: Deleting) => Promise<number>;

/** What refers to another table comes before it. */
const steps: Step[] = [
  ...[outbox, events, commands, deviceRequests, objectGrants, parkedMessages].map(rowsOf),
  ...[callbackSubscriptions, callbackEndpoints, objectResources, objectCredentials].map(rowsOf),
  busKeys,
  ...[busPrincipals, policies, roleBindings, roles].map(rowsOf),
  nonces,
  rowsOf(credentials),
];

/** The log goes last: until then it shows who requested the deletion. */
const lastSteps: Step[] = [rowsOf(auditEvents), entryOfCreation];

/**
 * Deletes the data of tenants whose deletion was requested, a batch in each round. The rows that are left are the only
 * state: after a crash any process continues where it ended.
 */
export function purgeTenants(database: Database, bus: Pick<Bus, 'forget'>, settledAfterMs = SETTLED_AFTER_MS): Purge {
  /** The tenant of the last round, and the first step that may still find rows of it. */
  let current = { tenantId: '', step: 0 };

  /** Null once there are no rows left to delete now. */
  async function deleteBatch(tx: Transaction, tenant: Deleting): Promise<number | null> {
    const all = tenant.is_settled ? [...steps, ...lastSteps] : steps;
    if (current.tenantId !== tenant.tenant_id) current = { tenantId: tenant.tenant_id, step: 0 };
    for (; current.step < all.length; current.step++) {
      const deleted = await (all[current.step] as Step)(tx, tenant);
      if (deleted === 0) continue;
      await tx.execute(
        sql`update tenants set deleted_rows = deleted_rows + ${deleted} where tenant_id = ${tenant.tenant_id}`,
      );
      return deleted;
    }
    return null;
  }

  return {
    table: 'tenants',
    async round() {
      const { tenant, deleted } = await asAllTenants(database, async (tx) => {
        const tenant = await lockNext(tx, settledAfterMs);
        return { tenant, deleted: tenant && (await deleteBatch(tx, tenant)) };
      });
      if (!tenant) return { removed: 0, hasMore: false };
      if (deleted !== null) return { removed: deleted, hasMore: true };
      current = { tenantId: '', step: 0 };
      if (!tenant.is_settled) return { removed: 0, hasMore: false };
      // Before the mark: a crash in between repeats it.
      await bus.forget(tenant.tenant_id);
      await asAllTenants(database, (tx) => markDeleted(tx, tenant));
      return { removed: 0, hasMore: true };
    },
  };
}

/** Another process may be at it: its tenant is skipped. */
async function lockNext(tx: Transaction, settledAfterMs: number): Promise<Deleting | null> {
  const [tenant] = await tx.execute<Deleting>(sql`
    select tenant_id, created_at::text,
      deletion_requested_at < now() - make_interval(secs => ${settledAfterMs / 1_000}) as is_settled
    from tenants
    where status = 'DELETING'
    order by is_settled desc, tenant_id
    limit 1
    for no key update skip locked`);
  return tenant ?? null;
}

/** Deletes rows of a table in the order of its primary key, whose first column is tenant_id. */
function rowsOf(table: PgTable): Step {
  const { name, primaryKeys } = getTableConfig(table);
  const keys = (primaryKeys[0]?.columns ?? []).filter((column) => column.name !== 'tenant_id') as PgColumn[];
  const columns = sql.raw(keys.map((key) => key.name).join(', '));
  const source = sql.identifier(name);
  return async (tx, { tenant_id }) => {
    const texts = sql.raw(keys.map((key, index) => `${key.name}::text as k${index}`).join(', '));
    const [last] = await tx.execute<Record<string, string>>(sql`
      select ${texts} from ${source} where tenant_id = ${tenant_id}
      order by tenant_id, ${columns} limit 1 offset ${BATCH - 1}`);
    const upTo = last && sql` and (${columns}) <= (${valuesOf(keys, last)})`;
    return countOf(tx, sql`delete from ${source} where tenant_id = ${tenant_id}${upTo ?? sql``}`);
  };
}

const valuesOf = (keys: readonly PgColumn[], row: Record<string, string>): SQL =>
  sql.join(
    keys.map((key, index) => sql`${row[`k${index}`]}::text::${sql.raw(key.getSQLType())}`),
    sql`, `,
  );

async function countOf(tx: Transaction, deletion: SQL): Promise<number> {
  const [counted] = await tx.execute<{ rows: number }>(
    sql`with deleted as (${deletion} returning 1) select count(*)::int as rows from deleted`,
  );
  return counted?.rows ?? 0;
}

/** The keys of the tenant's principals. Its client ids stay taken. */
function busKeys(tx: Transaction, { tenant_id }: Deleting): Promise<number> {
  return countOf(
    tx,
    sql`delete from taken_names
      where tenant_id = ${tenant_id} and (kind, name) in (
        select kind, name
        from bus_principals, lateral (
          values ('BUS_ACCOUNT_KEY', bus_account_public_key), ('BUS_USER_KEY', bus_user_public_key)
        ) as keys (kind, name)
        where bus_principals.tenant_id = ${tenant_id}
      )`,
  );
}

/** The nonces of the tenant's credentials. They would expire by themselves within the hour. */
function nonces(tx: Transaction, { tenant_id }: Deleting): Promise<number> {
  return countOf(
    tx,
    sql`delete from nonces
      where (credential_number, nonce_hash) in (
        select credential_number, nonce_hash
        from credentials cross join lateral (
          select credential_number, nonce_hash from nonces
          where nonces.credential_number = credentials.number limit ${BATCH}
        ) as of_credential
        where credentials.tenant_id = ${tenant_id}
        limit ${BATCH}
      )`,
  );
}

/** The entry of tenants.create, which names the tenant, is in the log of `platform`. Its id is of the same instant. */
function entryOfCreation(tx: Transaction, { tenant_id, created_at }: Deleting): Promise<number> {
  const instant = new Date(created_at);
  const first = firstIdAt(instant.toISOString());
  const next = firstIdAt(new Date(instant.getTime() + 1).toISOString());
  return countOf(
    tx,
    sql`delete from audit_events
      where tenant_id = ${PLATFORM_TENANT_ID} and audit_event_id >= ${first}::uuid and audit_event_id < ${next}::uuid
        and operation = 'tenants.create' and target = ${`platform/tenants/${tenant_id}`}`,
  );
}

/** The tenant_id stays, so that no other tenant gets it. Everything else that the row says is overwritten. */
const markDeleted = (tx: Transaction, { tenant_id }: Deleting) =>
  tx.execute(sql`
    update tenants set status = 'DELETED', name = tenant_id, vendors = null, updated_at = now()
    where tenant_id = ${tenant_id} and status = 'DELETING'`);
