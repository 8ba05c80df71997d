import type { callbackSubscriptions } from './callback-subscriptions.table.js';

export const presentCallbackSubscription = (row: typeof callbackSubscriptions.$inferSelect, requestId: string) => ({
  subscription_id: row.subscriptionId,
  endpoint_id: row.endpointId,
  event_type: row.eventType,
  status: row.status,
  created_at: row.createdAt.toISOString(),
  request_id: requestId,
});
