import type { contract } from '@tenant-open-platform/contract';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import type { Handler } from '../../platform/operation/handler.js';
import { readRow } from '../../platform/operation/rows.js';
import { isObjectResource, objectResources } from './object-resources.table.js';
import { presentObjectResource } from './present-object-resource.js';

export const getObjectResource =
  (database: Database): Handler<typeof contract.objectResources.get> =>
  async ({ params: { resource_id: resourceId } }, call) => {
    const own = isObjectResource(call.tenantId, resourceId);
    const row = await asTenant(database, call.tenantId, (tx) => readRow(tx, call, objectResources, own));
    return { status: 200, body: presentObjectResource(row, call.requestId) };
  };
