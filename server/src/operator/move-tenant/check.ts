import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { sql } from 'drizzle-orm';
import { StartupError } from '../../foundation/startup-error.js';
import { sealedTables } from '../keys.js';
import type { Place } from './place.js';
import { originOf, readTenant, type TenantRow } from './steps.js';

type Places = { source: Place; target: Place };

const CLOCKS_DIFFER_MS = 5_000;
const SHOWN = 5;

const refused = (problem: string) => new StartupError(`move-tenant: ${problem}`);

const some = (all: string[]) =>
  `${all.slice(0, SHOWN).join(', ')}${all.length > SHOWN ? ` and ${all.length - SHOWN} more` : ''}`;

/** The tenant, which may be under way already. */
export async function readMoving(source: Place): Promise<TenantRow> {
  const { tenantId } = source;
  if (tenantId === PLATFORM_TENANT_ID) throw refused('the tenant platform belongs to its platform and cannot move.');
  const tenant = await readTenant(source);
  if (!tenant) throw refused(`the source has no tenant ${tenantId}.`);
  if (tenant.status === 'DELETING' || tenant.status === 'DELETED') throw refused(`${tenantId} is ${tenant.status}.`);
  if (tenant.status === 'MOVING' && tenant.move?.step === 'ARRIVING') {
    throw refused(`${tenantId} is moving to this platform. Run the command of that move, with that source.`);
  }
  return tenant;
}

/** Refuses a move that could not end well. Nothing has changed yet, or the same checks have passed before. */
export async function check({ source, target }: Places, tenant: TenantRow): Promise<void> {
  if (source.keyring.cursorKey.equals(target.keyring.cursorKey)) {
    throw refused('source and target are the same database, or one is a copy of the other.');
  }
  await checkPlaceOfTenant({ source, target }, tenant);
  await checkNames(target, await readNames(source));
  await checkCatalog({ source, target }, tenant);
  await checkKeys(source);
  const [here, there] = await Promise.all([clockOf(source), clockOf(target)]);
  if (Math.abs(here - there) > CLOCKS_DIFFER_MS) {
    throw refused(`the clocks of the databases differ by ${Math.round(Math.abs(here - there) / 1_000)} seconds.`);
  }
}

async function clockOf(place: Place): Promise<number> {
  const [clock] = await place.read<{ ms: number }>(
    sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
  );
  return clock?.ms ?? 0;
}

/** Of an earlier stay, or of a move that was undone, a tenant leaves its row. */
async function checkPlaceOfTenant({ source, target }: Places, tenant: TenantRow): Promise<void> {
  const there = await readTenant(target);
  const isReserved = there?.status === 'MOVING' && there.move?.step === 'ARRIVING';
  if (!there || (isReserved && there.move?.from === originOf(source))) return;
  const wasHere = there.status === 'MOVED' || (there.status === 'DELETED' && there.move !== null);
  if (!wasHere)
    throw refused(
      `the target has a tenant ${tenant.tenantId} already (${there.status}). No tenant_id can be changed: create one with another id there, and fill it with topctl export and apply.`,
    );
  if (there.deletion?.finished_at == null) {
    throw refused('the target still deletes what the tenant has left there: see tenants.get. Try again later.');
  }
}

type Name = { kind: string; name: string; is_used: boolean };

/** The tenant does not use the names of what it has deleted. */
export const readNames = ({ asTenant, tenantId }: Place) =>
  asTenant((tx) =>
    tx.execute<Name>(sql`
      select kind, name, name in (
        select client_id from credentials where tenant_id = ${tenantId} and status <> 'DELETED'
        union all
        select unnest(array[bus_user_public_key, bus_account_public_key]) from bus_principals
        where tenant_id = ${tenantId} and status <> 'DELETED'
      ) as is_used
      from taken_names where tenant_id = ${tenantId}`),
  );

export async function checkNames(target: Place, wanted: Name[]): Promise<void> {
  const names = JSON.stringify(wanted.filter(({ is_used }) => is_used));
  const taken = await target.readAsSystem<Omit<Name, 'is_used'>>(sql`
    select asked.kind, asked.name from json_to_recordset(${names}::text::json) as asked (kind text, name text)
    join taken_names as taken
      on taken.kind = asked.kind and lower(taken.name collate "C") = lower(asked.name collate "C")
    where taken.tenant_id <> ${target.tenantId} order by asked.kind, asked.name`);
  if (taken.length === 0) return;
  const shown = some(taken.map(({ kind, name }) => `${kind} ${name}`));
  throw refused(
    `another tenant of the target has names of this one: ${shown}. A name cannot be changed: create another credential or principal in its place, and delete this one. If the tenant is closed, open it with --undo first.`,
  );
}

type Type = { name: string; payload_schema: string };

/** Both have the same catalog if it comes from one file. */
async function checkCatalog({ source, target }: Places, { vendors }: TenantRow): Promise<void> {
  const catalogOf = async (place: Place) => {
    const types = await place.readAsSystem<Type>(sql`
      select vendor || '/' || command_type as name, payload_schema::jsonb::text as payload_schema
      from vendors join command_types using (vendor)
      where vendors.enabled and command_types.enabled
        and (${vendors === null} or vendor in (select json_array_elements_text(${JSON.stringify(vendors ?? [])}::text::json)))
      order by vendor, command_type`);
    return new Map(types.map(({ name, payload_schema }) => [name, payload_schema]));
  };
  const [wanted, found] = [await catalogOf(source), await catalogOf(target)];
  const missing = [...wanted.keys()].filter((name) => !found.has(name));
  if (missing.length > 0)
    throw refused(`the target lacks, or has disabled, ${some(missing)}: apply the same catalog to both.`);
  const others = [...wanted].filter(([name, schema]) => found.get(name) !== schema).map(([name]) => name);
  if (others.length > 0)
    throw refused(`the target has another payload schema for ${some(others)}: apply the same catalog to both.`);
}

async function checkKeys(source: Place): Promise<void> {
  for (const rowsOf of sealedTables) {
    for await (const row of rowsOf(source.database, source.tenantId)) {
      const problem = row.problem(source.keyring);
      if (problem !== null)
        throw refused(
          `the secret of ${row.table} ${row.id} does not open: ${problem} Rotate it, or give the source the key that sealed it.`,
        );
    }
  }
}
