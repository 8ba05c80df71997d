import type { contract } from '@tenant-open-platform/contract';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import type { Handler } from '../../platform/operation/handler.js';
import { readRow } from '../../platform/operation/rows.js';
import { isObjectCredential, objectCredentials } from './object-credentials.table.js';
import { presentObjectCredential } from './present-object-credential.js';

export const getObjectCredential =
  (database: Database): Handler<typeof contract.objectCredentials.get> =>
  async ({ params: { credential_id: credentialId } }, call) => {
    const own = isObjectCredential(call.tenantId, credentialId);
    const row = await asTenant(database, call.tenantId, (tx) => readRow(tx, call, objectCredentials, own));
    return { status: 200, body: presentObjectCredential(row, call.requestId) };
  };
