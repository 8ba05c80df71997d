import type { contract } from '@tenant-open-platform/contract';
import { and, eq } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { credentials } from '../../platform/identity/credentials.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { presentCredential } from './present-credential.js';

export const getCredential =
  (database: Database): Handler<typeof contract.credentials.get> =>
  async ({ params }, call) => {
    const [row] = await asTenant(database, call.tenantId, (tx) =>
      tx
        .select()
        .from(credentials)
        .where(and(eq(credentials.tenantId, call.tenantId), eq(credentials.clientId, params.client_id))),
    );
    if (!row) throw call.refuse('NOT_FOUND');
    return { status: 200, body: presentCredential(row, call) };
  };
