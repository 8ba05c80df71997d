import type { contract } from '@tenant-open-platform/contract';
import { and, desc, eq, lt } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { pageOf, readCursor } from '../../platform/http/cursor.js';
import type { Handler } from '../../platform/http/handler.js';
import { objectCredentials } from './object-credentials.table.js';
import { presentObjectCredential } from './present-object-credential.js';

/** The credential_id. */
const POSITION = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const listObjectCredentials =
  (database: Database): Handler<typeof contract.objectCredentials.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const after = readCursor(list, cursor, POSITION);
    const found = await asTenant(database, call.tenantId, (tx) =>
      tx
        .select()
        .from(objectCredentials)
        .where(
          and(
            eq(objectCredentials.tenantId, call.tenantId),
            after === null ? undefined : lt(objectCredentials.credentialId, after),
          ),
        )
        .orderBy(desc(objectCredentials.credentialId))
        .limit(limit + 1),
    );
    const page = pageOf(list, found, limit, ({ credentialId }) => credentialId);
    return {
      status: 200,
      body: {
        items: page.rows.map((row) => presentObjectCredential(row, call.requestId)),
        next_cursor: page.nextCursor,
        request_id: call.requestId,
      },
    };
  };
