import type { contract } from '@tenant-open-platform/contract';
import { and, desc, eq, sql } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { instantOf, pageOf, readCursor } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { credentials } from '../identity/credentials.table.js';
import { presentCredential } from './present-credential.js';

/** created_at in milliseconds and client_id. */
const POSITION = /^([0-9]{1,15}) ([A-Za-z0-9._~-]{1,64})$/;

export const listCredentials =
  (database: Database, basePath: string): Handler<typeof contract.credentials.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const [, createdAt, clientId] = POSITION.exec(readCursor(list, cursor, POSITION) ?? '') ?? [];
    const { createdAt: created, clientId: client } = credentials;
    const found = await asTenant(database, call.tenantId, (tx) =>
      tx
        .select()
        .from(credentials)
        .where(
          and(
            eq(credentials.tenantId, call.tenantId),
            createdAt === undefined
              ? undefined
              : sql`(${created}, ${client}) < (${instantOf(createdAt)}::timestamptz, ${clientId})`,
          ),
        )
        .orderBy(desc(created), desc(client))
        .limit(limit + 1),
    );
    const page = pageOf(list, found, limit, (row) => `${row.createdAt.getTime()} ${row.clientId}`);
    const next = page.nextCursor;
    const path = `${basePath}/api/v1/platform/tenants/${call.tenantId}/credentials`;
    return {
      status: 200,
      body: page.rows.map((row) => presentCredential(row, call)),
      ...(next && {
        headers: { Link: `<${path}?limit=${limit}&cursor=${next}>; rel="next"`, 'X-Next-Cursor': next },
      }),
    };
  };
