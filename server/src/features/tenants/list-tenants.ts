import type { contract } from '@tenant-open-platform/contract';
import { desc, sql } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { tenants } from '../../platform/identity/tenants.table.js';
import { answerPage, instantOf, pageOf, readCursor } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { presentTenant } from './present-tenant.js';

/** created_at in milliseconds and tenant_id. */
const POSITION = /^([0-9]{1,15}) ([A-Za-z0-9_-]{1,63})$/;

export const listTenants =
  (database: Database): Handler<typeof contract.tenants.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const [, createdAt, tenantId] = POSITION.exec(readCursor(list, cursor, POSITION) ?? '') ?? [];
    const found = await asTenant(database, call.tenantId, (tx) =>
      tx
        .select()
        .from(tenants)
        .where(
          createdAt === undefined
            ? undefined
            : sql`(${tenants.createdAt}, ${tenants.tenantId}) < (${instantOf(createdAt)}::timestamptz, ${tenantId})`,
        )
        .orderBy(desc(tenants.createdAt), desc(tenants.tenantId))
        .limit(limit + 1),
    );
    return answerPage(
      pageOf(list, found, limit, (row) => `${row.createdAt.getTime()} ${row.tenantId}`),
      call,
      presentTenant,
    );
  };
