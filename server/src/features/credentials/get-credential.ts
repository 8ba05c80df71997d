import type { contract } from '@tenant-open-platform/contract';
import { and, eq } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { credentials } from '../../platform/identity/credentials.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { readRow } from '../../platform/operation/rows.js';
import { presentCredential } from './present-credential.js';

export const getCredential =
  (database: Database): Handler<typeof contract.credentials.get> =>
  async ({ params }, call) => {
    const own = and(eq(credentials.tenantId, call.tenantId), eq(credentials.clientId, params.client_id));
    const row = await asTenant(database, call.tenantId, (tx) => readRow(tx, call, credentials, own));
    return { status: 200, body: presentCredential(row, call) };
  };
