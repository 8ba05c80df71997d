import type { contract } from '@tenant-open-platform/contract';
import { desc, sql } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { answerPage, instantOf, pageOf, readCursor } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { presentVendor } from './present-vendor.js';
import { vendors } from './vendors.table.js';

/** created_at in milliseconds and vendor. */
const POSITION = /^([0-9]{1,15}) ([a-z0-9_-]{1,63})$/;

export const listVendors =
  (database: Database): Handler<typeof contract.vendors.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const [, createdAt, vendor] = POSITION.exec(readCursor(list, cursor, POSITION) ?? '') ?? [];
    const found = await asTenant(database, call.tenantId, (tx) =>
      tx
        .select()
        .from(vendors)
        .where(
          createdAt === undefined
            ? undefined
            : sql`(${vendors.createdAt}, ${vendors.vendor}) < (${instantOf(createdAt)}::timestamptz, ${vendor})`,
        )
        .orderBy(desc(vendors.createdAt), desc(vendors.vendor))
        .limit(limit + 1),
    );
    return answerPage(
      pageOf(list, found, limit, (row) => `${row.createdAt.getTime()} ${row.vendor}`),
      call,
      presentVendor,
    );
  };
