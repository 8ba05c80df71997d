import { and, eq } from 'drizzle-orm';
import { withAudit } from '../../platform/audit/with-audit.js';
import type { Handler } from '../../platform/operation/handler.js';
import { ownRow, readRow } from '../../platform/operation/rows.js';
import { callbackSubscriptions } from '../callback-subscriptions/callback-subscriptions.table.js';
import { callbackEndpoints } from './callback-endpoints.table.js';
import { auditedCallbackEndpoint } from './present-callback-endpoint.js';

export const deleteCallbackEndpoint: Handler<'callbackEndpoints.delete'> = async ({ params }, call) => {
  const { endpoint_id: endpointId } = params;
  await withAudit(call, { fields: {} }, async (tx) => {
    // A concurrent new subscription either waits for this lock and then finds no endpoint, or committed before it.
    const own = ownRow(callbackEndpoints, call, params);
    const locked = await readRow(tx, call, callbackEndpoints, own, 'update');
    await tx
      .delete(callbackSubscriptions)
      .where(and(eq(callbackSubscriptions.tenantId, call.tenantId), eq(callbackSubscriptions.endpointId, endpointId)));
    await tx.delete(callbackEndpoints).where(own);
    return { before: auditedCallbackEndpoint(locked, call), after: null, result: null };
  });
  return { status: 200, body: { endpoint_id: endpointId, deleted: true, request_id: call.requestId } };
};
