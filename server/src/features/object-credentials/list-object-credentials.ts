import type { contract } from '@tenant-open-platform/contract';
import { and, desc, eq, lt } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { answerPage, ID, pageOf, readCursor } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { objectCredentials } from './object-credentials.table.js';
import { presentObjectCredential } from './present-object-credential.js';

export const listObjectCredentials =
  (database: Database): Handler<typeof contract.objectCredentials.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const after = readCursor(list, cursor, ID);
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
    return answerPage(
      pageOf(list, found, limit, ({ credentialId }) => credentialId),
      call,
      presentObjectCredential,
    );
  };
