import type { contract } from '@tenant-open-platform/contract';
import { and, desc, eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import { boundedScan } from '../../platform/database/bounded-scan.js';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { credentials } from '../../platform/identity/credentials.table.js';
import { instantOf, pageOf, readCursor } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { presentCredential } from './present-credential.js';

/** created_at in milliseconds and client_id. */
const POSITION = /^([0-9]{1,15}) ([A-Za-z0-9._~-]{1,64})$/;

export const listCredentials =
  (database: Database, basePath: string): Handler<typeof contract.credentials.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const [, createdAt, clientId] = POSITION.exec(readCursor(list, cursor, POSITION) ?? '') ?? [];
    const { createdAt: created, clientId: client } = credentials;
    const range = and(
      eq(credentials.tenantId, call.tenantId),
      createdAt === undefined
        ? undefined
        : sql`(${created}, ${client}) < (${instantOf(createdAt)}::timestamptz, ${clientId})`,
    );
    const found = await asTenant(database, call.tenantId, async (tx) => {
      const { from, where, lastRead } = await boundedScan(tx, {
        columns: [created, client],
        direction: 'desc',
        range,
        filters: filters.status && inArray(credentials.status, filters.status),
      });
      const rows = await tx
        .select(getTableColumns(credentials))
        .from(from)
        .where(where)
        .orderBy(desc(created), desc(client))
        .limit(limit + 1);
      return { rows, lastRead };
    });
    const positionOf = (row: (typeof found.rows)[number]) => `${row.createdAt.getTime()} ${row.clientId}`;
    const page = pageOf(list, found.rows, limit, positionOf, found.lastRead);
    const next = page.nextCursor;
    const status = filters.status ? `&status=${filters.status.join()}` : '';
    const path = `${basePath}/api/v1/platform/tenants/${call.tenantId}/credentials`;
    return {
      status: 200,
      body: page.rows.map((row) => presentCredential(row, call)),
      ...(next && {
        headers: { Link: `<${path}?limit=${limit}${status}&cursor=${next}>; rel="next"`, 'X-Next-Cursor': next },
      }),
    };
  };
