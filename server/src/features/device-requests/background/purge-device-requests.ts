import { sql } from 'drizzle-orm';
import type { Database } from '../../../platform/database/database.js';
import { purgeByAge } from '../../../platform/retention/purge-by-age.js';
import { deviceRequests } from '../device-requests.table.js';

export const purgeDeviceRequests = (database: Database, keptDays: number) =>
  purgeByAge(database, {
    id: deviceRequests.deviceRequestId,
    keptDays,
    deleteRange: async (tx, range) =>
      (await tx.execute(sql`delete from device_requests where ${range} and status <> 'PENDING'`)).count,
  });
