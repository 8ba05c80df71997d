import { sql } from 'drizzle-orm';
import type { Database } from '../../../platform/database/database.js';
import { asAllTenants } from '../../../platform/database/roles.js';
import type { Now } from '../../../platform/database/steady-clock.js';
import { purgeByAge } from '../../../platform/retention/purge-by-age.js';
import { type Signals, topics } from '../../../platform/signals/signals.js';
import { deviceRequests } from '../device-requests.table.js';

const BATCH = 500;

/** Sets EXPIRED on requests without a reply in time, and returns their number. Any number of nodes may sweep. */
export async function sweepDeviceRequests(database: Database, signals: Signals, now: Now): Promise<number> {
  const expired = await asAllTenants(database, (tx) =>
    tx.execute<{ tenant_id: string }>(sql`
      update device_requests set status = 'EXPIRED'
      where ctid = any (array(
        select ctid from device_requests
        where status = 'PENDING' and expires_at <= ${now()}
        order by expires_at
        limit ${BATCH}
        for no key update skip locked
      ))
      returning device_requests.tenant_id`),
  );
  signals.send(expired.map(({ tenant_id }) => topics.deviceRequests(tenant_id)));
  return expired.length;
}

/** Deletes old requests that wait for no reply. */
export const purgeDeviceRequests = (database: Database, keptDays: number) =>
  purgeByAge(database, {
    id: deviceRequests.deviceRequestId,
    keptDays,
    deleteRange: async (tx, range) =>
      (await tx.execute(sql`delete from device_requests where ${range} and status <> 'PENDING'`)).count,
  });
