import type { contract } from '@tenant-open-platform/contract';
import { and, desc, eq, lt } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { pageOf, readCursor } from '../../platform/http/cursor.js';
import type { Handler } from '../../platform/http/handler.js';
import { credentials } from './credentials.table.js';
import { presentCredential } from './present-credential.js';

/** The credential's number. */
const POSITION = /^[0-9]{1,18}$/;

export const listCredentials =
  (database: Database, basePath: string): Handler<typeof contract.credentials.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const before = readCursor(list, cursor, POSITION);
    const found = await asTenant(database, call.tenantId, (tx) =>
      tx
        .select()
        .from(credentials)
        .where(
          and(
            eq(credentials.tenantId, call.tenantId),
            before === null ? undefined : lt(credentials.number, BigInt(before)),
          ),
        )
        .orderBy(desc(credentials.number))
        .limit(limit + 1),
    );
    const page = pageOf(list, found, limit, (row) => row.number.toString());
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
