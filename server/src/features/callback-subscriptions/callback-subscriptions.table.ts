import { eventTypes, SubscriptionStatus } from '@tenant-open-platform/contract';
import { foreignKey, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import { instant, oneOf } from '../../platform/database/columns.js';
import { callbackEndpoints } from '../callback-endpoints/callback-endpoints.table.js';

export const callbackSubscriptions = pgTable(
  'callback_subscriptions',
  {
    tenantId: text('tenant_id').notNull(),
    endpointId: uuid('endpoint_id').notNull(),
    subscriptionId: uuid('subscription_id').notNull(),
    eventType: text('event_type', { enum: eventTypes }).notNull(),
    status: text({ enum: oneOf(SubscriptionStatus) }).notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.endpointId, table.subscriptionId] }),
    unique('callback_subscriptions_event_type').on(table.tenantId, table.endpointId, table.eventType),
    foreignKey({
      name: 'callback_subscriptions_endpoint',
      columns: [table.tenantId, table.endpointId],
      foreignColumns: [callbackEndpoints.tenantId, callbackEndpoints.endpointId],
    }),
  ],
);
