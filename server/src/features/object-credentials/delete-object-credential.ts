import type { contract } from '@tenant-open-platform/contract';
import { and, desc, eq } from 'drizzle-orm';
import { withAudit } from '../../platform/audit/with-audit.js';
import type { Database } from '../../platform/database/database.js';
import type { Handler } from '../../platform/operation/handler.js';
import { readRow } from '../../platform/operation/rows.js';
import { objectResources } from '../object-resources/object-resources.table.js';
import { isObjectCredential, objectCredentials } from './object-credentials.table.js';
import { presentObjectCredential } from './present-object-credential.js';

const NAMED_RESOURCES = 100;

export const deleteObjectCredential =
  (database: Database): Handler<typeof contract.objectCredentials.delete> =>
  async ({ params: { credential_id: credentialId } }, call) => {
    const { tenantId } = call;
    await withAudit(database, call, { fields: {} }, async (tx) => {
      // A concurrent new resource either waits for this lock and then finds no credential, or committed before it.
      const own = isObjectCredential(tenantId, credentialId);
      const locked = await readRow(tx, call, objectCredentials, own, 'update');
      const users = await tx
        .select({ resourceId: objectResources.resourceId })
        .from(objectResources)
        .where(and(eq(objectResources.tenantId, tenantId), eq(objectResources.credentialId, credentialId)))
        .orderBy(desc(objectResources.resourceId))
        .limit(NAMED_RESOURCES);
      if (users.length > 0) {
        const resource_ids = users.map(({ resourceId }) => resourceId);
        throw call.refuse('OBJECT_CREDENTIAL_IN_USE', { metadata: { resource_ids } });
      }
      await tx.delete(objectCredentials).where(own);
      return { before: presentObjectCredential(locked, call.requestId), after: null, result: null };
    });
    return { status: 200, body: { credential_id: credentialId, deleted: true, request_id: call.requestId } };
  };
