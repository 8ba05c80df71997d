import type { contract } from '@tenant-open-platform/contract';
import { and, desc, eq, lt } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { answerPage, ID, pageOf, readCursor } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { findCallbackEndpoint } from '../callback-endpoints/find-callback-endpoint.js';
import { callbackSubscriptions } from './callback-subscriptions.table.js';
import { presentCallbackSubscription } from './present-callback-subscription.js';

export const listCallbackSubscriptions =
  (database: Database): Handler<typeof contract.callbackSubscriptions.list> =>
  async ({ params: { endpoint_id: endpointId }, query: { limit, cursor } }, call) => {
    const { tenantId } = call;
    const page = await asTenant(database, tenantId, async (tx) => {
      const endpoint = await findCallbackEndpoint(tx, call, endpointId);
      const list = { call, filters: { endpoint_id: endpoint.endpointId } };
      const before = readCursor(list, cursor, ID);
      const rows = await tx
        .select()
        .from(callbackSubscriptions)
        .where(
          and(
            eq(callbackSubscriptions.tenantId, tenantId),
            eq(callbackSubscriptions.endpointId, endpointId),
            before === null ? undefined : lt(callbackSubscriptions.subscriptionId, before),
          ),
        )
        .orderBy(desc(callbackSubscriptions.subscriptionId))
        .limit(limit + 1);
      return pageOf(list, rows, limit, ({ subscriptionId }) => subscriptionId);
    });
    return answerPage(page, call, presentCallbackSubscription);
  };
