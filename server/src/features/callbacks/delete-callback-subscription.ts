import type { contract } from '@tenant-open-platform/contract';
import { and, eq } from 'drizzle-orm';
import { changing } from '../../platform/audit/changing.js';
import type { Database } from '../../platform/database/database.js';
import { notFound } from '../../platform/http/api-error.js';
import type { Handler } from '../../platform/http/handler.js';
import { callbackSubscriptions } from './callback-subscriptions.table.js';

export const deleteCallbackSubscription =
  (database: Database): Handler<typeof contract.callbackSubscriptions.delete> =>
  async ({ params: { endpoint_id: endpointId, subscription_id: subscriptionId } }, call) => {
    await changing(database, call, { fields: {} }, async (tx) => {
      const [deleted] = await tx
        .delete(callbackSubscriptions)
        .where(
          and(
            eq(callbackSubscriptions.tenantId, call.tenantId),
            eq(callbackSubscriptions.endpointId, endpointId),
            eq(callbackSubscriptions.subscriptionId, subscriptionId),
          ),
        )
        .returning();
      if (!deleted) throw notFound();
    });
    return { status: 200, body: { subscription_id: subscriptionId, deleted: true, request_id: call.requestId } };
  };
