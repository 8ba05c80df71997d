import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { durables } from '@tenant-open-platform/contract/bus';
import { fixedSql, statement } from '../foundation/database/statement.js';
import type { Bus } from './bus/bus.js';
import type { Owned } from './slots/steps.js';
import { vendors } from './tables.js';

export const FLEET_DURABLE = 'simulated-fleet';

/** The vendors of a new platform, and those named for simulation. Devices of any other vendor must be real. */
export const isSimulated = (vendor: string) => /^(vendor_[ab]$|simulated)/.test(vendor);

/** The durables of all adapters that read commands of this tenant and vendor. */
export function readersOf({ tenant_id, vendor }: { tenant_id: string; vendor: string }): string[] {
  const own = [tenant_id, PLATFORM_TENANT_ID].map((reader) => durables.adapter(reader, vendor));
  return isSimulated(vendor) ? [...own, FLEET_DURABLE] : own;
}

/** Writes over what is older than a minute, and over an instant that lies ahead: it is from a clock that was wrong. */
const newReads = statement(
  'reads of adapters: store',
  (rows: string) => fixedSql`
    with read as (
      select given.* from json_to_recordset(${rows}::text::json) as given (
        tenant_id text, vendor text, read_at timestamptz
      )
      join lateral (
        select from tenants
        where tenants.tenant_id = given.tenant_id and status = 'ACTIVE' and given.vendor is not null and read_at is not null
          and coalesce(
            (adapter_reads ->> given.vendor)::timestamptz <= read_at - interval '1 minute'
              or (adapter_reads ->> given.vendor)::timestamptz > now() + interval '1 minute',
            true
          )
        for no key update skip locked
      ) as tenant on true
    ), of_vendors as (
      update vendors set last_read_at = latest.read_at
      from (select vendor, max(read_at) as read_at from read group by vendor) as latest
      join lateral (
        select from vendors
        where vendors.vendor = latest.vendor and coalesce(
          last_read_at <= read_at - interval '1 minute' or last_read_at > now() + interval '1 minute', true
        )
        for no key update skip locked
      ) as due on true
      where vendors.vendor = latest.vendor
    )
    update tenants set adapter_reads = coalesce(adapter_reads, '{}') || latest.reads
    from (
      select tenant_id, jsonb_object_agg(vendor, read_at) as reads
      from (select tenant_id, vendor, max(read_at) as read_at from read group by tenant_id, vendor) as newest
      group by tenant_id
    ) as latest
    where tenants.tenant_id = latest.tenant_id`,
);

/**
 * Stores when adapters last read commands, to the minute. An adapter of tenant `platform` and the simulated fleet read
 * for every tenant.
 */
export async function storeCommandReads(
  transaction: Owned['transaction'],
  bus: Pick<Bus, 'commandReads'>,
): Promise<void> {
  const reads = await bus.commandReads();
  if (reads.size === 0) return;
  await transaction(async (tx) => {
    const known = reads.has(FLEET_DURABLE) ? await tx.select({ vendor: vendors.vendor }).from(vendors) : [];
    const simulated = known.map(({ vendor }) => vendor).filter(isSimulated);
    const rows = [...reads].flatMap(([durable, read_at]) => {
      const [tenant_id, vendor] = durable.split('+');
      if (durable !== FLEET_DURABLE) return { tenant_id, vendor, read_at };
      return simulated.map((vendor) => ({ tenant_id: PLATFORM_TENANT_ID, vendor, read_at }));
    });
    await tx.execute(newReads(JSON.stringify(rows)));
  });
}
