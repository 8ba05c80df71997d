import type { contract } from '@tenant-open-platform/contract';
import { withAudit } from '../../platform/audit/with-audit.js';
import type { Database } from '../../platform/database/database.js';
import type { Handler } from '../../platform/operation/handler.js';
import { deleteRow } from '../../platform/operation/rows.js';
import { isObjectResource, objectResources } from './object-resources.table.js';
import { presentObjectResource } from './present-object-resource.js';

export const deleteObjectResource =
  (database: Database): Handler<typeof contract.objectResources.delete> =>
  async ({ params: { resource_id: resourceId } }, call) => {
    await withAudit(database, call, { fields: {} }, async (tx) => {
      const deleted = await deleteRow(tx, call, objectResources, isObjectResource(call.tenantId, resourceId));
      return { before: presentObjectResource(deleted, call.requestId), after: null, result: null };
    });
    return { status: 200, body: { resource_id: resourceId, deleted: true, request_id: call.requestId } };
  };
