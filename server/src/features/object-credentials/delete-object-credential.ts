import { and, desc, eq } from 'drizzle-orm';
import { withAudit } from '../../platform/audit/with-audit.js';
import type { Handler } from '../../platform/operation/handler.js';
import { ownRow, readRow } from '../../platform/operation/rows.js';
import { objectResources } from '../object-resources/object-resources.table.js';
import { objectCredentials } from './object-credentials.table.js';
import { presentObjectCredential } from './present-object-credential.js';

const NAMED_RESOURCES = 100;

export const deleteObjectCredential: Handler<'objectCredentials.delete'> = async ({ params }, call) => {
  const { credential_id: credentialId } = params;
  await withAudit(call, { fields: {} }, async (tx) => {
    // A concurrent new resource either waits for this lock and then finds no credential, or committed before it.
    const own = ownRow(objectCredentials, call, params);
    const locked = await readRow(tx, call, objectCredentials, own, 'update');
    const users = await tx
      .select({ resourceId: objectResources.resourceId })
      .from(objectResources)
      .where(and(eq(objectResources.tenantId, call.tenantId), eq(objectResources.credentialId, credentialId)))
      .orderBy(desc(objectResources.resourceId))
      .limit(NAMED_RESOURCES);
    if (users.length > 0) {
      const resource_ids = users.map(({ resourceId }) => resourceId);
      throw call.refuse('OBJECT_CREDENTIAL_IN_USE', { metadata: { resource_ids } });
    }
    await tx.delete(objectCredentials).where(own);
    return { before: presentObjectCredential(locked, call), after: null, result: null };
  });
  return { status: 200, body: { credential_id: credentialId, deleted: true, request_id: call.requestId } };
};
