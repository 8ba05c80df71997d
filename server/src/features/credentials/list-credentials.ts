import type { contract } from '@tenant-open-platform/contract';
import { and, desc, eq, getTableName, inArray, sql } from 'drizzle-orm';
import { ROWS_READ } from '../../platform/database/bounded-scan.js';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { instantOf, pageOf, readCursor } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { credentials } from '../identity/credentials.table.js';
import { presentCredential } from './present-credential.js';

/** created_at in milliseconds and client_id. */
const POSITION = /^([0-9]{1,15}) ([A-Za-z0-9._~-]{1,64})$/;

const positionOf = (row: { createdAt: Date; clientId: string }) => `${row.createdAt.getTime()} ${row.clientId}`;

export const listCredentials =
  (database: Database, basePath: string): Handler<typeof contract.credentials.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const [, createdAt, clientId] = POSITION.exec(readCursor(list, cursor, POSITION) ?? '') ?? [];
    const { createdAt: created, clientId: client } = credentials;
    const order = [desc(created), desc(client)];
    const range = and(
      eq(credentials.tenantId, call.tenantId),
      createdAt === undefined
        ? undefined
        : sql`(${created}, ${client}) < (${instantOf(createdAt)}::timestamptz, ${clientId})`,
    );
    const found = await asTenant(database, call.tenantId, async (tx) => {
      if (!filters.status) {
        const rows = await tx
          .select()
          .from(credentials)
          .where(range)
          .orderBy(...order)
          .limit(limit + 1);
        return { rows, lastRead: null };
      }
      // A status has no index, so this is a bounded scan: see bounded-scan.ts.
      const [last] = await tx
        .select({ createdAt: created, clientId: client })
        .from(credentials)
        .where(range)
        .orderBy(...order)
        .limit(1)
        .offset(ROWS_READ - 1);
      const isRead =
        last && sql`(${created}, ${client}) >= (${last.createdAt.toISOString()}::timestamptz, ${last.clientId})`;
      const read = tx
        .select()
        .from(credentials)
        .where(and(range, isRead))
        .orderBy(...order)
        .limit(ROWS_READ)
        .as(getTableName(credentials));
      const rows = await tx
        .select()
        .from(read)
        .where(inArray(credentials.status, filters.status))
        .orderBy(...order)
        .limit(limit + 1);
      return { rows, lastRead: last ? positionOf(last) : null };
    });
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
