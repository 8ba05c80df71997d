import type { contract } from '@tenant-open-platform/contract';
import { and, eq } from 'drizzle-orm';
import { withAudit } from '../../platform/audit/with-audit.js';
import type { Database } from '../../platform/database/database.js';
import type { Handler } from '../../platform/operation/handler.js';
import { readRow } from '../../platform/operation/rows.js';
import { callbackSubscriptions } from '../callback-subscriptions/callback-subscriptions.table.js';
import { callbackEndpoints, isEndpoint } from './callback-endpoints.table.js';
import { auditedCallbackEndpoint } from './present-callback-endpoint.js';

export const deleteCallbackEndpoint =
  (database: Database): Handler<typeof contract.callbackEndpoints.delete> =>
  async ({ params: { endpoint_id: endpointId } }, call) => {
    const { tenantId } = call;
    await withAudit(database, call, { fields: {} }, async (tx) => {
      // A concurrent new subscription either waits for this lock and then finds no endpoint, or committed before it.
      const own = isEndpoint(tenantId, endpointId);
      const locked = await readRow(tx, call, callbackEndpoints, own, 'update');
      await tx
        .delete(callbackSubscriptions)
        .where(and(eq(callbackSubscriptions.tenantId, tenantId), eq(callbackSubscriptions.endpointId, endpointId)));
      await tx.delete(callbackEndpoints).where(own);
      return { before: auditedCallbackEndpoint(locked, call), after: null, result: null };
    });
    return { status: 200, body: { endpoint_id: endpointId, deleted: true, request_id: call.requestId } };
  };
