import type { contract } from '@tenant-open-platform/contract';
import { eq } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { readRow } from '../../platform/operation/rows.js';
import { callbackEndpoints, isEndpoint } from '../callback-endpoints/callback-endpoints.table.js';
import { callbackSubscriptions } from './callback-subscriptions.table.js';
import { presentCallbackSubscription } from './present-callback-subscription.js';

export const listCallbackSubscriptions =
  (database: Database): Handler<typeof contract.callbackSubscriptions.list> =>
  async ({ params, query }, call) => {
    const endpoint = isEndpoint(call.tenantId, params.endpoint_id);
    const { endpointId } = await asTenant(database, call.tenantId, (tx) =>
      readRow(tx, call, callbackEndpoints, endpoint),
    );
    const filtered = { ...query, endpoint_id: endpointId };
    return newestFirst(database, call, filtered, {
      table: callbackSubscriptions,
      order: ['subscriptionId'],
      range: eq(callbackSubscriptions.endpointId, endpointId),
      present: presentCallbackSubscription,
    });
  };
